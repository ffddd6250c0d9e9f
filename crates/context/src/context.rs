use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use watertight_vocabulary::{HomeId, HostId};

use crate::values::Values;
use crate::{Ambient, stack, with_ambient};

/// What belongs to one task: the host it was entered for, its profile's home, and typed values.
///
/// This is the explicit handle: cheap to clone, `Send + Sync`, usable anywhere. It is immutable but for
/// one bit: [`Context::close`] ends it for good, through whichever clone.
///
/// # Fail-closed behaviour
///
/// A context is entered lexically, by [`Context::run`] or by the wrapper of
/// [`InScope`](crate::InScope), and there is no guard: one could be leaked, dropped out of order, or held
/// across an await (CTX-01).
///
/// ```compile_fail,E0599
/// let context = watertight_context::Context::builder().build();
/// let guard = context.enter();
/// ```
///
/// A scope around an `await` must be the wrapper; a closure cannot be suspended half way:
///
/// ```compile_fail,E0728
/// # async fn other() {}
/// async fn turn(context: watertight_context::Context) {
///     context.run(|| { other().await; });
/// }
/// ```
///
/// What it holds cannot be changed, and goes where its task goes:
///
/// ```compile_fail,E0599
/// let mut context = watertight_context::Context::builder().with(1_u32).build();
/// *context.get_mut::<u32>().unwrap() = 2;
/// ```
///
/// ```compile_fail,E0277
/// watertight_context::Context::builder().with(std::rc::Rc::new(1)).build();
/// ```
#[derive(Clone)]
pub struct Context(Arc<Inner>);

/// Padded away from the reference counts in front of it: a read beside a thread that clones handles must
/// not wait for that thread's cache line.
#[repr(align(64))]
struct Inner {
    values: Values,
    closing: Arc<Closing>,
    host: Option<HostId>,
    foreign: bool,
    home: Option<HomeId>,
}

/// Whether a context was closed; a refreshed one shares it with the one it replaces. Padded likewise.
#[repr(align(64))]
struct Closing(AtomicBool);

/// Puts a [`Context`] together. Nobody sees it before it is whole (CTX-05).
#[must_use = "a builder binds nothing"]
#[derive(Default)]
pub struct ContextBuilder {
    values: Values,
    closing: Option<Arc<Closing>>,
    host: Option<HostId>,
    foreign: bool,
    home: Option<HomeId>,
}

impl Context {
    /// Starts a context that holds nothing yet.
    pub fn builder() -> ContextBuilder {
        ContextBuilder::default()
    }

    /// A handle to what is bound here, or `None` where nothing is: never entered, detached, or entered
    /// for another Tokio task (CTX-07).
    pub fn current() -> Option<Self> {
        with_ambient(|ambient| match ambient {
            Ambient::Bound(context) => Some(context.clone()),
            Ambient::Masked(_) | Ambient::Unbound => None,
        })
    }

    /// The host it was built for. A read through any other host is refused while this is innermost
    /// (HOST-32).
    #[inline]
    pub fn host(&self) -> Option<HostId> {
        self.0.host
    }

    /// The home of its profile.
    #[inline]
    pub fn home(&self) -> Option<&HomeId> {
        self.0.home.as_ref()
    }

    /// Whether that home is another than the one the process was started for.
    #[inline]
    pub fn is_foreign(&self) -> bool {
        self.0.foreign
    }

    /// The value of this type.
    #[inline]
    pub fn get<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.0.values.get()
    }

    /// Ends it for good: whoever reads through any of its handles and frames, also a body that is still
    /// inside, is to refuse from now on (CTX-09).
    pub fn close(&self) {
        self.0.closing.0.store(true, Ordering::Release);
    }

    /// Whether it was closed.
    #[inline]
    pub fn is_closed(&self) -> bool {
        self.0.closing.0.load(Ordering::Acquire)
    }

    /// Runs the body inside this context and leaves it afterwards, also when the body panics
    /// (CTX-01, CTX-02).
    ///
    /// Nothing that the body starts elsewhere inherits it (CTX-03); see the crate's docs on handing work
    /// over.
    ///
    /// ```
    /// use watertight_context::Context;
    ///
    /// let outer = Context::builder().with("outer").build();
    /// let inner = Context::builder().with("inner").build();
    /// let bound = || Context::current().and_then(|context| context.get::<&str>().copied());
    ///
    /// outer.run(|| {
    ///     assert_eq!(inner.run(bound), Some("inner"));
    ///     assert_eq!(bound(), Some("outer"));
    /// });
    /// assert_eq!(bound(), None);
    /// ```
    #[inline]
    pub fn run<R>(&self, body: impl FnOnce() -> R) -> R {
        stack::enter(stack::Frame::of(self.clone()), body)
    }
}

impl ContextBuilder {
    /// For this host of the process.
    pub fn host(mut self, host: HostId) -> Self {
        self.host = Some(host);
        self
    }

    /// For a profile with this home.
    pub fn home(mut self, home: HomeId) -> Self {
        self.home = Some(home);
        self
    }

    /// Whether that home is another than the one the process was started for.
    pub fn foreign_home(mut self, foreign: bool) -> Self {
        self.foreign = foreign;
        self
    }

    /// Holds the value; a second one of the same type takes the place of the first.
    pub fn with<T: Any + Send + Sync>(mut self, value: T) -> Self {
        self.values.insert(value);
        self
    }

    /// Closed when the other one is, and the other way round: for a refresh, whose new context takes the
    /// old one's place (SEC-28).
    pub fn closing_with(mut self, other: &Context) -> Self {
        self.closing = Some(Arc::clone(&other.0.closing));
        self
    }

    /// The finished context.
    pub fn build(self) -> Context {
        let Self { mut values, closing, host, foreign, home } = self;
        values.shrink();
        let closing = closing.unwrap_or_else(|| Arc::new(Closing(AtomicBool::new(false))));
        Context(Arc::new(Inner { values, closing, host, foreign, home }))
    }
}

/// Kinds, never a value (CTX-10).
impl fmt::Debug for ContextBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ContextBuilder").field("values", &self.values).finish_non_exhaustive()
    }
}

/// Kinds and counts, never a value (CTX-10).
impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let home = match (&self.0.home, self.0.foreign) {
            (_, true) => "foreign",
            (Some(_), false) => "own",
            (None, false) => "none",
        };
        f.debug_struct("Context")
            .field("home", &format_args!("{home}"))
            .field("values", &self.0.values)
            .field("closed", &self.is_closed())
            .finish_non_exhaustive()
    }
}
