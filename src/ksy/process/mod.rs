//! Processors of `process:` and `stream:`, and functions of expressions: bytes and arguments in, bytes out.

mod aead;
mod aes;
mod argument;
mod block;
mod checksum;
mod functions;
mod held;
mod huffman;
mod inflate;
mod keystream;
mod lz4;
mod plain;
mod registry;
#[cfg(test)]
mod tests;
mod whole;
mod zstd;

pub(in crate::ksy) use functions::FUNCTIONS;
pub(in crate::ksy) use registry::PROCESSORS;

/// An evaluated argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::ksy) enum Argument {
    Int(i128),
    Bytes(Vec<u8>),
    Text(String),
    Bool(bool),
}

/// What an argument must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ksy) enum Kind {
    Int,
    /// Bytes; a text stands for its UTF-8 bytes.
    Bytes,
    Text,
    Any,
}

/// A parameter of a processor or function. Optional ones come last.
#[derive(Debug, Clone, Copy)]
pub(in crate::ksy) struct Parameter {
    pub name: &'static str,
    pub kind: Kind,
    pub optional: bool,
}

/// A processor that `process:` or `stream:` names.
pub(in crate::ksy) struct Processor {
    pub name: &'static str,
    pub parameters: &'static [Parameter],
    /// One line of documentation.
    pub summary: &'static str,
    /// Whether the output is as long as the input.
    pub keeps_length: bool,
    /// Starts it; an error states which argument is wrong. An empty key leaves bytes unchanged.
    pub make: fn(&[Argument]) -> Made,
}

/// A started processor, or which argument is wrong.
pub(in crate::ksy) type Made = Result<Box<dyn Stage>, String>;

/// The processor with this name.
pub(in crate::ksy) fn processor(name: &str) -> Option<&'static Processor> {
    PROCESSORS.iter().find(|known| known.name == name)
}

/// A running transformation: of one message, of several messages, or of a whole direction.
pub(in crate::ksy) trait Stage: Send {
    /// Transforms the next bytes and appends to `out`, at most `most` bytes. The state continues.
    fn feed(&mut self, bytes: &[u8], out: &mut Vec<u8>, most: usize) -> Result<(), Failure>;

    /// Ends a message: completes what waits for the end, appends the result, and reports a truncated message.
    fn end_message(&mut self, out: &mut Vec<u8>, most: usize) -> Result<(), Failure> {
        let _ = (out, most);
        Ok(())
    }

    /// Takes the arguments of the next message, if others than before do not start it anew: sizes of messages.
    fn resume(&mut self, args: &[Argument]) -> bool {
        let _ = args;
        false
    }

    /// Continues behind `missing` lost bytes of input.
    fn skip(&mut self, missing: u64) -> Skip;

    /// A copy of the state. It costs no more than the window.
    fn fork(&self) -> Box<dyn Stage>;

    /// Whether a message may end here: no code is begun that produces nothing.
    fn is_between(&self) -> bool {
        true
    }

    /// Memory on the heap, in bytes.
    fn memory(&self) -> usize;

    /// Unread bytes at the end of the last input, if the transformation has ended by itself.
    fn rest(&self) -> Option<usize> {
        None
    }
}

/// What can be read behind lost bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ksy) enum Skip {
    /// Everything.
    Resumes,
    /// Everything after this many bytes of output.
    After(usize),
    /// Nothing.
    Lost,
}

/// Why bytes were not transformed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::ksy) enum Failure {
    /// The input is malformed or truncated, or its tag does not verify.
    Damaged(String),
    /// The output exceeds the limit.
    TooLong,
}

impl Failure {
    fn damaged(why: &str) -> Failure {
        Failure::Damaged(String::from(why))
    }
}

/// A function of expressions.
pub(in crate::ksy) struct Function {
    pub name: &'static str,
    pub parameters: &'static [Parameter],
    /// One line of documentation.
    pub summary: &'static str,
    pub result: Kind,
    /// Computes it; an error states which argument is wrong.
    pub call: fn(&[Argument]) -> Result<Argument, String>,
}

/// The function with this name.
pub(in crate::ksy) fn function(name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|known| known.name == name)
}
