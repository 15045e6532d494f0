//! Who has read how far (decisions DR4), and where reading goes.

use std::sync::{Arc, Mutex, PoisonError};

use tool_seams::{JobOutput, JobReader, JobTail};

use super::drive::contained;
use crate::text::ends;

/// The places of a job's readers, who read last at the end.
pub(super) type Readers = Arc<Mutex<Vec<(JobReader, Box<dyn JobTail>)>>>;

/// The output of a job, to be read outside the service's lock.
pub(super) enum Source {
    /// It grows.
    Growing {
        /// What gives new readers their place.
        output: Arc<dyn JobOutput>,
        /// The places there are.
        readers: Readers,
    },
    /// It is there as a whole, or nothing is yet: every read gives all.
    Whole(Option<Arc<str>>),
}

impl Source {
    /// What the reader has not read yet.
    pub(super) fn read(&self, reader: &JobReader, max_bytes: usize, max_readers: usize) -> String {
        match self {
            Self::Whole(text) => ends::within(text.as_deref().unwrap_or(""), max_bytes),
            Self::Growing { output, readers } => {
                let mut readers = readers.lock().unwrap_or_else(PoisonError::into_inner);
                let read = contained(|| {
                    let mut tail = take(&mut readers, reader).unwrap_or_else(|| output.reader());
                    let text = tail.read(max_bytes);
                    put(&mut readers, max_readers, reader, tail);
                    text
                });
                match read {
                    Ok(text) => ends::within(&text, max_bytes),
                    Err(panic) => format!("[the output cannot be read: {panic}]"),
                }
            }
        }
    }
}

type Places = Vec<(JobReader, Box<dyn JobTail>)>;

fn take(places: &mut Places, reader: &JobReader) -> Option<Box<dyn JobTail>> {
    let at = places.iter().position(|(known, _)| known == reader)?;
    Some(places.remove(at).1)
}

/// Keeps a place. When there are too many, the program that read longest ago loses its own, never the model.
fn put(places: &mut Places, max_readers: usize, reader: &JobReader, tail: Box<dyn JobTail>) {
    let oldest = places.iter().position(|(known, _)| *known != JobReader::Model);
    if let Some(oldest) = oldest.filter(|_| places.len() >= max_readers) {
        places.remove(oldest);
    }
    places.push((reader.clone(), tail));
}
