//! Expressions and conditions of the column notation, and the values that they refer to.

/// Values of the fields read so far: scopes from the outermost inward.
#[derive(Debug, Default)]
pub struct Scopes {
    values: Vec<Option<i64>>,
    bases: Vec<usize>,
    /// Length of the payload.
    pub size: usize,
}

impl Scopes {
    /// Forgets all values: another payload begins.
    pub fn clear(&mut self, size: usize) {
        self.values.clear();
        self.bases.clear();
        self.size = size;
    }

    /// Opens a scope of `slots` names.
    pub fn open(&mut self, slots: usize) {
        self.bases.push(self.values.len());
        self.values.resize(self.values.len() + slots, None);
    }

    /// Closes the innermost scope.
    pub fn close(&mut self) {
        if let Some(base) = self.bases.pop() {
            self.values.truncate(base);
        }
    }

    /// Binds a name of the innermost scope.
    pub fn bind(&mut self, slot: usize, value: i64) {
        let place = self.bases.last().map(|base| base + slot);
        if let Some(place) = place.and_then(|place| self.values.get_mut(place)) {
            *place = Some(value);
        }
    }

    /// The value of a name of the innermost scope.
    pub fn named(&self, slot: usize) -> Option<i64> {
        self.value(Bound { up: 0, slot })
    }

    fn value(&self, Bound { up, slot }: Bound) -> Option<i64> {
        let base = self.bases.get(self.bases.len().checked_sub(up + 1)?)?;
        *self.values.get(base + slot)?
    }
}

/// A resolved name: number of scopes outwards, and its index there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bound {
    /// Scopes between it and the innermost one.
    pub up: usize,
    /// Place in its scope.
    pub slot: usize,
}

/// The operand of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ref {
    /// A field read before, of the first of these scopes that has it.
    Field(Box<[Bound]>),
    /// A number.
    Number(i64),
    /// Length of the payload.
    Size,
    /// Bytes left in the enclosing bytes.
    Left,
    /// A number from outside the packet.
    Outside(&'static str),
}

/// One operation of an expression, applied from left to right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Shift to the right; a negative number as 32 bits without sign.
    Shift(u32),
    /// Bitwise and.
    And(i64),
    /// Sum.
    Plus(i64),
}

/// An expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expr {
    /// The operand.
    pub of: Ref,
    /// The operations on it.
    pub steps: Box<[Step]>,
}

/// Result of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// A number.
    Number(i64),
    /// A field of the expression was not read.
    Unread,
    /// The number of this name is not in the packet.
    Outside(&'static str),
}

impl Expr {
    /// Evaluates it with `left` bytes remaining.
    pub fn answer(&self, scopes: &Scopes, left: usize) -> Answer {
        let start = match &self.of {
            Ref::Field(places) => places.iter().find_map(|place| scopes.value(*place)),
            Ref::Number(number) => Some(*number),
            Ref::Size => i64::try_from(scopes.size).ok(),
            Ref::Left => i64::try_from(left).ok(),
            Ref::Outside(name) => return Answer::Outside(name),
        };
        let Some(start) = start else { return Answer::Unread };
        Answer::Number(self.steps.iter().fold(start, |number, step| match *step {
            Step::Shift(by) if number < 0 => (number & 0xffff_ffff).checked_shr(by).unwrap_or_default(),
            Step::Shift(by) => number.checked_shr(by).unwrap_or_default(),
            Step::And(mask) => number & mask,
            Step::Plus(more) => number.saturating_add(more),
        }))
    }

    /// Evaluates a number of bytes or elements; `None` if a field was not read.
    pub fn count(&self, scopes: &Scopes, left: usize) -> std::result::Result<usize, &'static str> {
        match self.answer(scopes, left) {
            Answer::Number(number) => Ok(usize::try_from(number).unwrap_or_default()),
            Answer::Unread => Ok(0),
            Answer::Outside(name) => Err(name),
        }
    }
}

/// The test of a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Test {
    /// Not 0.
    True,
    /// In one of these inclusive ranges, or in none of them.
    In(Box<[(i64, i64)]>, bool),
    /// Below this number.
    Below(i64),
    /// Above this number.
    Above(i64),
    /// None of these bits.
    NoneOf(i64),
}

/// A condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cond {
    /// The expression.
    pub of: Expr,
    pub test: Test,
}

impl Cond {
    /// Evaluates it. It is false if a field was not read.
    pub fn holds(&self, scopes: &Scopes, left: usize) -> std::result::Result<bool, &'static str> {
        let number = match self.of.answer(scopes, left) {
            Answer::Number(number) => number,
            Answer::Unread => return Ok(false),
            Answer::Outside(name) => return Err(name),
        };
        Ok(match &self.test {
            Test::True => number != 0,
            Test::In(ranges, wanted) => ranges.iter().any(|(least, most)| (*least..=*most).contains(&number)) == *wanted,
            Test::Below(most) => number < *most,
            Test::Above(least) => number > *least,
            Test::NoneOf(bits) => number & bits == 0,
        })
    }
}
