//! YAML as nodes with places. A scalar remains text until a key requires a type.

use super::place::Place;

/// A node.
#[derive(Debug, Clone)]
pub struct Node {
    /// What it is.
    pub value: Value,
    /// Where it is written.
    pub place: Place,
}

/// What a node is.
#[derive(Debug, Clone)]
pub enum Value {
    /// A text; `quoted` where it cannot be null, a number or a boolean.
    Scalar {
        /// The text.
        text: String,
        /// Whether it is in quotes or a block.
        quoted: bool,
    },
    /// A list.
    List(Vec<Node>),
    /// Keys with their values, in the order of the file.
    Map(Vec<(Node, Node)>),
}
