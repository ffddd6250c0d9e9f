//! The frames of one thread. The only thread-local of the workspace.
//!
//! Whoever enters swaps its frame into a slot and keeps the outer one on its own stack, so nesting costs
//! no allocation and stays flat however deep it goes. A reader borrows the slot while it runs; who enters
//! from inside a running read finds the slot taken and raises a level above it, for as long as it stays.

use std::cell::{Cell, RefCell};
use std::mem::{self, ManuallyDrop};
use std::rc::Rc;

use crate::task::Task;
use crate::{Ambient, Context};

thread_local! {
    /// `const` and without a destructor: reads and entries then work as well while the thread is torn
    /// down, in whatever order its other thread-locals go (CTX-08). Nothing is left in it to leak, since
    /// every frame is left by whoever entered it.
    static STACK: ManuallyDrop<Stack> = const {
        ManuallyDrop::new(Stack {
            base: RefCell::new(Frame::NOTHING),
            is_raised: Cell::new(false),
            raised: RefCell::new(None),
        })
    };
}

struct Stack {
    base: RefCell<Frame>,
    /// Whether there are levels above: what every read asks first.
    is_raised: Cell<bool>,
    raised: RefCell<Option<Rc<Level>>>,
}

struct Level {
    frame: RefCell<Frame>,
    below: Option<Rc<Level>>,
}

/// What was entered: a context with the task it was entered for, or nothing on purpose.
pub(crate) struct Frame {
    context: Option<Context>,
    task: Task,
    /// The innermost context of a foreign home around one that is of none: masked, both are.
    foreign_around: Option<Context>,
}

impl Frame {
    /// Binds nothing.
    pub(crate) const NOTHING: Self = Self { context: None, task: Task::NONE, foreign_around: None };

    /// Binds a context for the task that runs here.
    #[inline]
    pub(crate) fn of(context: Context) -> Self {
        let foreign_around = if Task::ARE_TOLD_APART && !context.is_foreign() { foreign() } else { None };
        Self { context: Some(context), task: Task::current(), foreign_around }
    }

    #[inline]
    fn ambient(&self) -> Ambient<'_> {
        match &self.context {
            None => Ambient::Unbound,
            Some(context) if self.task == Task::current() => Ambient::Bound(context),
            Some(context) => Ambient::Masked(self.foreign_around.as_ref().unwrap_or(context)),
        }
    }

    fn foreign(&self) -> Option<&Context> {
        self.context.as_ref().filter(|context| context.is_foreign()).or(self.foreign_around.as_ref())
    }
}

/// Runs the body inside the frame and leaves it again, however the body ends (CTX-01, CTX-02).
///
/// Entering cannot fail: the frame is complete, and one swap binds it (CTX-05).
#[inline]
pub(crate) fn enter<R>(frame: Frame, body: impl FnOnce() -> R) -> R {
    let _entered = Entered { outer: STACK.with(|stack| stack.put(frame)) };
    body()
}

/// Runs the reader on what is bound here.
#[inline]
pub(crate) fn read<R>(reader: impl FnOnce(Ambient<'_>) -> R) -> R {
    read_frame(|frame| reader(frame.ambient()))
}

/// The innermost context of a foreign home here, for whichever task, as far as nothing masks it.
fn foreign() -> Option<Context> {
    read_frame(|frame| frame.foreign().cloned())
}

#[inline]
fn read_frame<R>(reader: impl FnOnce(&Frame) -> R) -> R {
    STACK.with(|stack| {
        if stack.is_raised.get()
            && let Some(level) = stack.top()
        {
            return reader(&level.frame.borrow());
        }
        reader(&stack.base.borrow())
    })
}

/// Lives exactly as long as the body that was entered. It never leaves this module: who could hold one
/// could also leak it, or drop two in the wrong order.
struct Entered {
    /// What the slot held before, or `None` if a level was raised instead.
    outer: Option<Frame>,
}

impl Drop for Entered {
    #[inline]
    fn drop(&mut self) {
        // The frame that is left is dropped last of all, when the outer one is back and no slot is
        // borrowed: it may hold the last handle, and so run destructors that read or enter.
        match self.outer.take() {
            Some(outer) => drop(STACK.with(|stack| stack.put(outer))),
            None => drop(STACK.with(|stack| stack.lower())),
        }
    }
}

impl Stack {
    /// Puts the frame where reads look first. Gives what stood there, or `None` if that is being read
    /// and a level was raised above it.
    #[inline]
    fn put(&self, frame: Frame) -> Option<Frame> {
        if !self.is_raised.get()
            && let Ok(mut slot) = self.base.try_borrow_mut()
        {
            return Some(mem::replace(&mut *slot, frame));
        }
        self.put_above(frame)
    }

    #[cold]
    fn put_above(&self, frame: Frame) -> Option<Frame> {
        let mut raised = self.raised.borrow_mut();
        if let Some(level) = raised.as_deref()
            && let Ok(mut slot) = level.frame.try_borrow_mut()
        {
            return Some(mem::replace(&mut *slot, frame));
        }
        let below = raised.take();
        *raised = Some(Rc::new(Level { frame: RefCell::new(frame), below }));
        self.is_raised.set(true);
        None
    }

    #[cold]
    fn top(&self) -> Option<Rc<Level>> {
        self.raised.borrow().clone()
    }

    /// Takes the topmost level down.
    #[cold]
    fn lower(&self) -> Option<Rc<Level>> {
        let mut raised = self.raised.borrow_mut();
        let level = raised.take();
        *raised = level.as_ref().and_then(|level| level.below.clone());
        self.is_raised.set(raised.is_some());
        level
    }
}
