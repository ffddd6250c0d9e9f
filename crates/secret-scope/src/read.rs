use std::ffi::OsStr;

use watertight_context::{Ambient, Context, with_ambient};
use watertight_vocabulary::{Hosting, Refused, RefusedReason, Secret};

use crate::explain::Explanation;
use crate::sight::{Quick, Sight, is_unscoped, quick};

/// Reads a name for whatever is bound here, through a host: the ambient read.
///
/// ```
/// # use watertight_vocabulary::{Hosting, Refused, Secret};
/// fn model_key(host: &dyn Hosting) -> Result<Option<Secret>, Refused> {
///     watertight_secret_scope::read(host, "MODEL_KEY")
/// }
/// ```
///
/// A default is applied to absence alone (SEC-12): `read(..)?.unwrap_or_else(..)`.
///
/// # Errors
///
/// [`Refused`], by the table in [`decision`](crate::decision).
#[inline]
pub fn read(hosting: &dyn Hosting, name: impl AsRef<OsStr>) -> Result<Option<Secret>, Refused> {
    let name = name.as_ref();
    // What comes out of the thread-local's closure fits in two registers: a whole result would be copied
    // through memory on the way, which takes as long as half the read.
    let quickly = with_ambient(|ambient| match ambient {
        Ambient::Bound(context) => match quick(context, hosting, name) {
            Quick::Value(secret) => Quick::Value(secret.clone()),
            Quick::Absent => Quick::Absent,
            Quick::Neither => Quick::Neither,
        },
        Ambient::Masked(_) | Ambient::Unbound => Quick::Neither,
    });
    match quickly {
        Quick::Value(secret) => Ok(Some(secret)),
        Quick::Absent => Ok(None),
        Quick::Neither => with_care(hosting, name),
    }
}

/// Reads a name like [`read`], and lends the value to a closure instead of sharing its count: what threads
/// that read one secret at full speed use.
///
/// # Errors
///
/// As [`read`]; the closure is not run then.
#[inline]
pub fn with_secret<R>(
    hosting: &dyn Hosting,
    name: impl AsRef<OsStr>,
    body: impl FnOnce(Option<&Secret>) -> R,
) -> Result<R, Refused> {
    let name = name.as_ref();
    let quickly = with_ambient(|ambient| match ambient {
        Ambient::Bound(context) => lent_quickly(context, hosting, name, body),
        Ambient::Masked(_) | Ambient::Unbound => Err(body),
    });
    quickly.or_else(|body| with_ambient(|ambient| Sight::ambient(hosting, ambient).lent(name, body)))
}

/// Reads a name through a handle, from any thread, whatever is bound there. `None` is for a handle that was
/// built without a host: nothing but its scope answers (SEC-11).
///
/// # Errors
///
/// [`Refused`], by the table in [`decision`](crate::decision).
#[inline]
pub fn read_from(
    context: &Context,
    hosting: Option<&dyn Hosting>,
    name: impl AsRef<OsStr>,
) -> Result<Option<Secret>, Refused> {
    let name = name.as_ref();
    match hosting.map_or(Quick::Neither, |hosting| quick(context, hosting, name)) {
        Quick::Value(secret) => Ok(Some(secret.clone())),
        Quick::Absent => Ok(None),
        Quick::Neither => Sight::of_context(context, hosting).owned(name),
    }
}

/// Reads a name through a handle like [`read_from`], and lends the value to a closure.
///
/// # Errors
///
/// As [`read_from`]; the closure is not run then.
#[inline]
pub fn with_secret_from<R>(
    context: &Context,
    hosting: Option<&dyn Hosting>,
    name: impl AsRef<OsStr>,
    body: impl FnOnce(Option<&Secret>) -> R,
) -> Result<R, Refused> {
    let name = name.as_ref();
    let quickly = match hosting {
        Some(hosting) => lent_quickly(context, hosting, name, body),
        None => Err(body),
    };
    quickly.or_else(|body| Sight::of_context(context, hosting).lent(name, body))
}

/// Why [`read`] answers as it does, without the value (SEC-29). It asks no source.
pub fn explain(hosting: &dyn Hosting, name: impl AsRef<OsStr>) -> Explanation {
    let name = name.as_ref();
    with_ambient(|ambient| Sight::ambient(hosting, ambient).explain(name))
}

/// Why [`read_from`] answers as it does, without the value (SEC-29). It asks no source.
pub fn explain_from(
    context: &Context,
    hosting: Option<&dyn Hosting>,
    name: impl AsRef<OsStr>,
) -> Explanation {
    Sight::of_context(context, hosting).explain(name.as_ref())
}

/// A refusal, or an answer of the environment.
#[inline(never)]
fn with_care(hosting: &dyn Hosting, name: &OsStr) -> Result<Option<Secret>, Refused> {
    with_ambient(|ambient| match ambient {
        Ambient::Unbound if is_unscoped(hosting, name) => Err(Refused::new(name, RefusedReason::Unscoped)),
        _ => Sight::ambient(hosting, ambient).owned(name),
    })
}

/// What the closure makes of the value, or the closure, for a closer look.
#[inline]
fn lent_quickly<R, B: FnOnce(Option<&Secret>) -> R>(
    context: &Context,
    hosting: &dyn Hosting,
    name: &OsStr,
    body: B,
) -> Result<R, B> {
    match quick(context, hosting, name) {
        Quick::Value(secret) => Ok(body(Some(secret))),
        Quick::Absent => Ok(body(None)),
        Quick::Neither => Err(body),
    }
}
