//! The frames of one thread. The only thread-local of the workspace.
//!
//! Whoever enters swaps its frame into a slot and keeps the outer one on its own stack, so nesting costs
//! no allocation and stays flat however deep it goes. A reader borrows the slot while it runs; who enters
//! from inside a running read finds the slot taken and raises a level above it, for as long as it stays.

use std::cell::RefCell;
use std::mem::{self, ManuallyDrop};
use std::rc::Rc;

use crate::task::Task;
use crate::{Ambient, Context};

thread_local! {
    /// `const` and without a destructor: reads and entries then work as well while the thread is torn
    /// down, in whatever order its other thread-locals go (CTX-08). Nothing is left in it to leak, since
    /// every frame is left by whoever entered it.
    static STACK: ManuallyDrop<Stack> = const {
        ManuallyDrop::new(Stack { base: RefCell::new(Frame::NOTHING), raised: RefCell::new(None) })
    };
}

struct Stack {
    base: RefCell<Frame>,
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
}

impl Frame {
    /// Binds nothing.
    pub(crate) const NOTHING: Self = Self { context: None, task: Task::NONE };

    /// Binds a context for the task that runs here.
    #[inline]
    pub(crate) fn of(context: Context) -> Self {
        Self { context: Some(context), task: Task::current() }
    }

    #[inline]
    fn ambient(&self) -> Ambient<'_> {
        match &self.context {
            None => Ambient::Unbound,
            Some(context) if self.task == Task::current() => Ambient::Bound(context),
            Some(context) => Ambient::Masked(context),
        }
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
    STACK.with(|stack| match stack.top() {
        None => reader(stack.base.borrow().ambient()),
        Some(level) => reader(level.frame.borrow().ambient()),
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
    #[inline]
    fn top(&self) -> Option<Rc<Level>> {
        self.raised.borrow().clone()
    }

    /// Puts the frame where reads look first. Gives what stood there, or `None` if that is being read
    /// and a level was raised above it.
    #[inline]
    fn put(&self, frame: Frame) -> Option<Frame> {
        let mut raised = self.raised.borrow_mut();
        let slot = raised.as_deref().map_or(&self.base, |level| &level.frame);
        if let Ok(mut slot) = slot.try_borrow_mut() {
            return Some(mem::replace(&mut *slot, frame));
        }
        let below = raised.take();
        *raised = Some(Rc::new(Level { frame: RefCell::new(frame), below }));
        None
    }

    /// Takes the topmost level down.
    #[cold]
    fn lower(&self) -> Option<Rc<Level>> {
        let mut raised = self.raised.borrow_mut();
        let level = raised.take();
        *raised = level.as_ref().and_then(|level| level.below.clone());
        level
    }
}
