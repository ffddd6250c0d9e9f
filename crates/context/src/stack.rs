//! The frames of one thread. The only thread-local of the workspace.
//!
//! Whoever enters swaps its frame into a slot and keeps the outer one on its own stack, so nesting costs
//! no allocation and stays flat however deep it goes. A reader borrows the slot while it runs; who enters
//! from inside a running read finds the slot taken and raises a level above it, for as long as it stays.

use std::cell::{Cell, RefCell};
use std::mem::{self, ManuallyDrop};
use std::rc::Rc;

use crate::owner::Owner;
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

/// What was entered: a context and by whom, or nothing on purpose.
pub(crate) struct Frame {
    context: Option<Context>,
    owner: Owner,
}

impl Frame {
    /// Binds nothing.
    pub(crate) const NOTHING: Self = Self { context: None, owner: Owner::NOBODY };

    /// Binds a context for the task that runs here.
    #[inline]
    pub(crate) fn of(context: Context) -> Self {
        Self { owner: Owner::entering(&context), context: Some(context) }
    }

    #[inline]
    fn ambient(&self) -> Ambient<'_> {
        match &self.context {
            None => Ambient::Unbound,
            Some(context) if self.owner.is_here() => Ambient::Bound(context),
            Some(context) => Ambient::Masked(self.owner.foreign_around().unwrap_or(context)),
        }
    }
}

/// Runs the body inside the frame and leaves it again, however the body ends (CTX-01, CTX-02).
///
/// Entering cannot fail: the frame is complete, and one swap binds it (CTX-05).
#[inline]
pub(crate) fn enter<R>(frame: Frame, body: impl FnOnce() -> R) -> R {
    let mut entered = Entered { other: frame, raised: false };
    entered.raised = STACK.with(|stack| stack.bind(&mut entered.other));
    body()
}

/// Runs the reader on what is bound here.
#[inline]
pub(crate) fn read<R>(reader: impl FnOnce(Ambient<'_>) -> R) -> R {
    read_frame(|frame| reader(frame.ambient()))
}

/// The innermost context of a foreign home here, whoever entered it, as far as nothing masks it.
#[cfg(feature = "tokio")]
#[inline]
pub(crate) fn foreign() -> Option<Context> {
    read_frame(|frame| {
        let innermost = frame.context.as_ref()?;
        let foreign = if innermost.is_foreign() { Some(innermost) } else { frame.owner.foreign_around() };
        foreign.cloned()
    })
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
    /// The frame that is not bound: the outer one while the body runs, the body's own before and after.
    ///
    /// So the body's own is dropped last of all, when the outer one is back and no slot is borrowed: it
    /// may hold the last handle, and run destructors that read or enter.
    other: Frame,
    /// Whether a level was raised for the body's frame.
    raised: bool,
}

impl Drop for Entered {
    #[inline]
    fn drop(&mut self) {
        if self.raised {
            drop(STACK.with(|stack| stack.lower()));
        } else {
            STACK.with(|stack| stack.bind(&mut self.other));
        }
    }
}

impl Stack {
    /// Puts the frame where reads look first, in exchange for what stood there; if that is being read,
    /// raises a level above it instead, and says so.
    #[inline]
    fn bind(&self, frame: &mut Frame) -> bool {
        if !self.is_raised.get()
            && let Ok(mut slot) = self.base.try_borrow_mut()
        {
            mem::swap(&mut *slot, frame);
            return false;
        }
        self.bind_above(frame)
    }

    #[cold]
    fn bind_above(&self, frame: &mut Frame) -> bool {
        let mut raised = self.raised.borrow_mut();
        if let Some(level) = raised.as_deref()
            && let Ok(mut slot) = level.frame.try_borrow_mut()
        {
            mem::swap(&mut *slot, frame);
            return false;
        }
        let frame = RefCell::new(mem::replace(frame, Frame::NOTHING));
        let below = raised.take();
        *raised = Some(Rc::new(Level { frame, below }));
        self.is_raised.set(true);
        true
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
