use std::any::{Any, TypeId, type_name};
use std::fmt;

use crate::detached;

/// What a context carries: at most one value of each type.
///
/// A handful of entries, so a scan finds them sooner than a hash would.
#[derive(Default)]
pub(crate) struct Values(Vec<Value>);

struct Value {
    type_id: TypeId,
    kind: &'static str,
    held: Box<dyn Any + Send + Sync>,
}

impl Values {
    pub(crate) fn insert<T: Any + Send + Sync>(&mut self, value: T) {
        let new = Value { type_id: TypeId::of::<T>(), kind: type_name::<T>(), held: Box::new(value) };
        match self.0.iter_mut().find(|value| value.type_id == new.type_id) {
            Some(old) => {
                let old = std::mem::replace(old, new);
                detached(|| drop(old));
            }
            None => self.0.push(new),
        }
    }

    /// Gives back what was reserved for more: thousands of contexts are held at once.
    pub(crate) fn shrink(&mut self) {
        self.0.shrink_to_fit();
    }

    #[inline]
    pub(crate) fn get<T: Any>(&self) -> Option<&T> {
        let wanted = TypeId::of::<T>();
        self.0.iter().find(|value| value.type_id == wanted).and_then(|value| value.held.downcast_ref())
    }
}

/// The destructors of held values run detached: a value belongs to the context, not to whichever task
/// happens to let go of it last (CTX-02).
impl Drop for Values {
    fn drop(&mut self) {
        let values = std::mem::take(&mut self.0);
        if !values.is_empty() {
            detached(|| drop(values));
        }
    }
}

/// How many, and of which kinds; never a value (CTX-10).
impl fmt::Debug for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [", self.0.len())?;
        for (index, value) in self.0.iter().enumerate() {
            write!(f, "{}{}", if index == 0 { "" } else { ", " }, value.kind)?;
        }
        f.write_str("]")
    }
}
