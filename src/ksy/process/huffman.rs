//! Huffman codes of a table, such as those of Ultima Online.
//!
//! ```text
//! table  # comment | symbol, blanks, code in 0 and 1
//! ```
//! Symbols are 0 to 255, and 256 for the end of a message; bits behind it, up to the next whole byte, are padding. The first bit of a
//! byte is its highest.

use super::argument::text;
use super::{Argument, Failure, Made, Skip, Stage};
use std::sync::Arc;

/// The symbol that ends a message.
const END: u16 = 256;

/// Maximum number of bits of a code.
const MOST_BITS: usize = 32;

/// What follows a bit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Nothing,
    Node(u16),
    Symbol(u16),
}

/// The codes as a binary tree; node 0 is the root.
struct Table {
    nodes: Vec<[Step; 2]>,
    /// Whether a code ends messages.
    ends: bool,
}

impl Table {
    fn parse(text: &str) -> Result<Table, String> {
        let mut table = Table { nodes: vec![[Step::Nothing; 2]], ends: false };
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let symbol = table
                .add(line)
                .ok_or_else(|| format!("line {} of the table: {line:?} is no symbol with a new code", number + 1))?;
            table.ends |= symbol == END;
        }
        if table.nodes.first() == Some(&[Step::Nothing; 2]) {
            return Err(String::from("the table has no codes"));
        }
        Ok(table)
    }

    /// Adds the code of a line. It must not begin with another code, nor another one with it.
    fn add(&mut self, line: &str) -> Option<u16> {
        let (symbol, code) = line.split_once([' ', '\t'])?;
        let (symbol, code) = (symbol.parse().ok().filter(|symbol| *symbol <= END)?, code.trim());
        if code.len() > MOST_BITS || !code.bytes().all(|bit| matches!(bit, b'0' | b'1')) {
            return None;
        }
        let (last, before) = code.as_bytes().split_last()?;
        let mut node = 0;
        for bit in before {
            let next = u16::try_from(self.nodes.len()).ok()?;
            let step = self.step(node, *bit)?;
            match *step {
                Step::Node(known) => node = known,
                Step::Nothing => {
                    *step = Step::Node(next);
                    self.nodes.push([Step::Nothing; 2]);
                    node = next;
                }
                Step::Symbol(_) => return None,
            }
        }
        let step = self.step(node, *last)?;
        if *step != Step::Nothing {
            return None;
        }
        *step = Step::Symbol(symbol);
        Some(symbol)
    }

    fn step(&mut self, node: u16, bit: u8) -> Option<&mut Step> {
        self.nodes.get_mut(usize::from(node))?.get_mut(usize::from(bit & 1))
    }
}

pub(super) fn huffman(arguments: &[Argument]) -> Made {
    let table = Table::parse(text(arguments, 0, "table")?)?;
    Ok(Box::new(Huffman { table: Arc::new(table), node: 0, begun: false }))
}

#[derive(Clone)]
struct Huffman {
    table: Arc<Table>,
    /// The bits before lead to this node.
    node: u16,
    /// Whether bits of a message were read, but not its end.
    begun: bool,
}

impl Stage for Huffman {
    fn feed(&mut self, bytes: &[u8], out: &mut Vec<u8>, most: usize) -> Result<(), Failure> {
        let start = out.len();
        for byte in bytes {
            self.begun = true;
            for bit in (0..8).rev() {
                let node = self.table.nodes.get(usize::from(self.node));
                match node.and_then(|node| node.get(usize::from(byte >> bit & 1))) {
                    Some(Step::Node(next)) => {
                        self.node = *next;
                        continue;
                    }
                    Some(Step::Symbol(symbol)) => {
                        self.node = 0;
                        let Ok(symbol) = u8::try_from(*symbol) else {
                            self.begun = false;
                            break;
                        };
                        if out.len() - start >= most {
                            return Err(Failure::TooLong);
                        }
                        out.push(symbol);
                    }
                    Some(Step::Nothing) | None => return Err(Failure::damaged("these bits are no code of the table")),
                }
            }
        }
        Ok(())
    }

    fn end_message(&mut self, _: &mut Vec<u8>, _: usize) -> Result<(), Failure> {
        self.node = 0;
        let truncated = std::mem::take(&mut self.begun) && self.table.ends;
        if truncated { Err(Failure::damaged("the end of the message is missing")) } else { Ok(()) }
    }

    fn skip(&mut self, missing: u64) -> Skip {
        if missing == 0 { Skip::Resumes } else { Skip::Lost }
    }

    fn is_between(&self) -> bool {
        !self.begun || !self.table.ends
    }

    fn fork(&self) -> Box<dyn Stage> {
        Box::new(self.clone())
    }

    fn memory(&self) -> usize {
        size_of::<Self>() + size_of_val(self.table.nodes.as_slice())
    }
}
