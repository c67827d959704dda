//! A prompt: text, cursor, history and completion.

/// The purpose of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A display filter.
    Filter,
    /// Columns of the list.
    Columns,
    /// A record number.
    Number,
    /// A note on the record.
    Note,
    /// A file for the selected bytes.
    Save,
    /// The protocol of a conversation, as in `-d`.
    DecodeAs,
}

impl Purpose {
    /// The label before the text.
    pub fn label(self) -> &'static str {
        match self {
            Purpose::Filter => "/",
            Purpose::Columns => "columns: ",
            Purpose::Number => "go to number: ",
            Purpose::Note => "note: ",
            Purpose::Save => "save bytes as: ",
            Purpose::DecodeAs => "decode as: ",
        }
    }
}

#[derive(Debug, Clone)]
pub struct Prompt {
    pub purpose: Purpose,
    pub text: String,
    /// Characters before the cursor.
    pub cursor: usize,
    /// Errors, one per line.
    pub wrong: Vec<String>,
    /// The recalled history entry, counted from the last one.
    recalled: Option<usize>,
}

impl Prompt {
    /// Creates a prompt with a text.
    pub fn new(purpose: Purpose, text: &str) -> Prompt {
        Prompt { purpose, text: text.to_owned(), cursor: text.chars().count(), wrong: Vec::new(), recalled: None }
    }

    fn byte(&self, characters: usize) -> usize {
        self.text.char_indices().nth(characters).map_or(self.text.len(), |(at, _)| at)
    }

    pub fn insert(&mut self, character: char) {
        let at = self.byte(self.cursor);
        self.text.insert(at, character);
        self.cursor += 1;
        self.wrong.clear();
    }

    /// Removes the character before the cursor.
    pub fn backspace(&mut self) {
        if let Some(before) = self.cursor.checked_sub(1) {
            self.cursor = before;
            self.delete();
        }
    }

    /// Removes the character after the cursor.
    pub fn delete(&mut self) {
        let at = self.byte(self.cursor);
        if at < self.text.len() {
            self.text.remove(at);
        }
        self.wrong.clear();
    }

    /// Removes all text.
    pub fn clear(&mut self) {
        self.replace("");
    }

    /// Whether field names are completed.
    pub fn takes_names(&self) -> bool {
        matches!(self.purpose, Purpose::Filter | Purpose::Columns)
    }

    /// Moves the cursor.
    pub fn left(&mut self) {
        self.cursor = self.cursor.saturating_sub(1);
    }

    /// Moves the cursor.
    pub fn right(&mut self) {
        self.cursor = (self.cursor + 1).min(self.text.chars().count());
    }

    /// Moves the cursor to the beginning.
    pub fn home(&mut self) {
        self.cursor = 0;
    }

    /// Moves the cursor to the end.
    pub fn end(&mut self) {
        self.cursor = self.text.chars().count();
    }

    fn replace(&mut self, text: &str) {
        text.clone_into(&mut self.text);
        self.end();
        self.wrong.clear();
    }

    /// Recalls an earlier or later history entry.
    pub fn recall(&mut self, history: &[String], earlier: bool) {
        let next = match (self.recalled, earlier) {
            (None, true) => Some(0),
            (Some(at), true) => Some((at + 1).min(history.len().saturating_sub(1))),
            (Some(at), false) => at.checked_sub(1),
            (None, false) => None,
        };
        match next.and_then(|at| history.iter().rev().nth(at)) {
            Some(line) => {
                self.recalled = next;
                self.replace(line);
            }
            None if !earlier => {
                self.recalled = None;
                self.clear();
            }
            None => {}
        }
    }

    /// The word before the cursor that completion replaces.
    pub fn word(&self) -> &str {
        let before = self.text.get(..self.byte(self.cursor)).unwrap_or_default();
        let begin = before.rfind(|c: char| !c.is_alphanumeric() && c != '.' && c != '_').map_or(0, |at| at + 1);
        // The character before a word is ASCII, or the word is the whole text.
        before.get(begin..).unwrap_or(before)
    }

    /// Completes the word before the cursor to the common prefix of these names.
    pub fn complete(&mut self, names: &[&str]) {
        let word = self.word().to_owned();
        let Some(first) = names.first() else { return };
        let shared = names.iter().fold(first.len(), |shared, name| {
            let same = first.bytes().zip(name.bytes()).take_while(|(one, other)| one == other).count();
            shared.min(same)
        });
        let rest = first.get(word.len()..shared).unwrap_or_default();
        rest.chars().for_each(|character| self.insert(character));
    }
}
