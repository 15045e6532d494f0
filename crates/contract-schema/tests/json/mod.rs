//! Lossless documents: snapshot, reader, typed reading.

mod impossible;
mod random;
mod read;
mod snapshot;
mod typed;
