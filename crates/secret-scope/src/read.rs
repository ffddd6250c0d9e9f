use std::ffi::OsStr;

use watertight_context::{Context, with_ambient};
use watertight_vocabulary::{Hosting, Refused, Secret};

use crate::explain::Explanation;
use crate::sight::{Quick, Sight, Value};

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
    // through memory on the way, which takes as long as the read.
    match with_ambient(|ambient| Sight::ambient(hosting, ambient).quick(name).map(Secret::clone)) {
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
    with_ambient(|ambient| lent(&Sight::ambient(hosting, ambient), name, body))
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
    owned(&Sight::of_context(context, hosting), name.as_ref())
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
    lent(&Sight::of_context(context, hosting), name.as_ref(), body)
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
    with_ambient(|ambient| {
        Sight::ambient(hosting, ambient).answer(name).map(|value| value.map(Value::into_secret))
    })
}

#[inline]
fn owned(sight: &Sight<'_>, name: &OsStr) -> Result<Option<Secret>, Refused> {
    match sight.quick(name) {
        Quick::Value(secret) => Ok(Some(secret.clone())),
        Quick::Absent => Ok(None),
        Quick::Neither => sight.answer(name).map(|value| value.map(Value::into_secret)),
    }
}

#[inline]
fn lent<R>(sight: &Sight<'_>, name: &OsStr, body: impl FnOnce(Option<&Secret>) -> R) -> Result<R, Refused> {
    match sight.quick(name) {
        Quick::Value(secret) => Ok(body(Some(secret))),
        Quick::Absent => Ok(body(None)),
        Quick::Neither => sight.answer(name).map(|value| body(value.as_ref().map(Value::secret))),
    }
}
