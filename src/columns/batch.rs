//! Collects rows into batches, with a builder per column.

use super::schema::Type;
use arrow_array::builder::{
    BinaryBuilder, BooleanBuilder, Float64Builder, Int32Builder, Int64Builder, ListBuilder, StringBuilder,
    TimestampNanosecondBuilder,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};
use std::fmt::{Display, Write as _};
use std::io;
use std::sync::Arc;

/// Maximum rows and bytes of a batch.
const ROWS: usize = 8192;
const BYTES: usize = 1 << 20;

const UTC: &str = "UTC";

/// The builder of a column.
pub(super) enum Builder {
    Int(Int64Builder),
    Short(Int32Builder),
    Float(Float64Builder),
    Bool(BooleanBuilder),
    Text(StringBuilder),
    Bytes(BinaryBuilder),
    Time(TimestampNanosecondBuilder),
    Ints(ListBuilder<Int64Builder>),
    Floats(ListBuilder<Float64Builder>),
    Bools(ListBuilder<BooleanBuilder>),
    Texts(ListBuilder<StringBuilder>),
    Blobs(ListBuilder<BinaryBuilder>),
}

impl Builder {
    fn new(kind: Type) -> Builder {
        match kind {
            Type::Int => Builder::Int(Int64Builder::new()),
            Type::Short => Builder::Short(Int32Builder::new()),
            Type::Float => Builder::Float(Float64Builder::new()),
            Type::Bool => Builder::Bool(BooleanBuilder::new()),
            Type::Text => Builder::Text(StringBuilder::new()),
            Type::Bytes => Builder::Bytes(BinaryBuilder::new()),
            Type::Time => Builder::Time(TimestampNanosecondBuilder::new().with_timezone(UTC)),
            Type::Ints => Builder::Ints(ListBuilder::new(Int64Builder::new())),
            Type::Floats => Builder::Floats(ListBuilder::new(Float64Builder::new())),
            Type::Bools => Builder::Bools(ListBuilder::new(BooleanBuilder::new())),
            Type::Texts => Builder::Texts(ListBuilder::new(StringBuilder::new())),
            Type::Blobs => Builder::Blobs(ListBuilder::new(BinaryBuilder::new())),
        }
    }

    /// Takes the values so far as an array. The builder keeps capacity for as many, so that columns do not grow in small steps.
    fn finish(&mut self) -> ArrayRef {
        match self {
            Builder::Int(builder) => {
                let values = builder.finish();
                *builder = Int64Builder::with_capacity(values.len().min(ROWS));
                Arc::new(values)
            }
            Builder::Short(builder) => Arc::new(builder.finish()),
            Builder::Float(builder) => Arc::new(builder.finish()),
            Builder::Bool(builder) => Arc::new(builder.finish()),
            Builder::Text(builder) => {
                let values = builder.finish();
                *builder = StringBuilder::with_capacity(values.len().min(ROWS), values.value_data().len().min(BYTES));
                Arc::new(values)
            }
            Builder::Bytes(builder) => {
                let values = builder.finish();
                *builder = BinaryBuilder::with_capacity(values.len().min(ROWS), values.value_data().len().min(BYTES));
                Arc::new(values)
            }
            Builder::Time(builder) => Arc::new(builder.finish()),
            Builder::Ints(builder) => Arc::new(builder.finish()),
            Builder::Floats(builder) => Arc::new(builder.finish()),
            Builder::Bools(builder) => Arc::new(builder.finish()),
            Builder::Texts(builder) => Arc::new(builder.finish()),
            Builder::Blobs(builder) => Arc::new(builder.finish()),
        }
    }
}

/// The Arrow data type of a column.
fn data_type(kind: Type) -> DataType {
    let list = |of| DataType::List(Arc::new(Field::new_list_field(of, true)));
    match kind {
        Type::Int => DataType::Int64,
        Type::Short => DataType::Int32,
        Type::Float => DataType::Float64,
        Type::Bool => DataType::Boolean,
        Type::Text => DataType::Utf8,
        Type::Bytes => DataType::Binary,
        Type::Time => DataType::Timestamp(TimeUnit::Nanosecond, Some(UTC.into())),
        Type::Ints => list(DataType::Int64),
        Type::Floats => list(DataType::Float64),
        Type::Bools => list(DataType::Boolean),
        Type::Texts => list(DataType::Utf8),
        Type::Blobs => list(DataType::Binary),
    }
}

/// Size of a value in bytes, or of its offset if values vary in length.
const fn width(kind: Type) -> usize {
    match kind {
        Type::Int | Type::Float | Type::Time => 8,
        Type::Bool => 1,
        _ => 4,
    }
}

/// The Arrow schema of columns with these names and types.
pub(super) fn schema<'a>(columns: impl Iterator<Item = (&'a str, Type)>) -> SchemaRef {
    Arc::new(Schema::new(columns.map(|(name, kind)| Field::new(name, data_type(kind), true)).collect::<Vec<_>>()))
}

/// Rows that are not yet in a batch.
pub(super) struct Rows {
    schema: SchemaRef,
    builders: Vec<Builder>,
    /// Fixed size of a row in bytes, without texts, byte strings and list items.
    width: usize,
    rows: usize,
    bytes: usize,
    /// Number of rows in completed batches.
    before: u64,
}

impl Rows {
    pub(super) fn new(schema: SchemaRef, kinds: impl Iterator<Item = Type>) -> Rows {
        let (builders, widths): (Vec<Builder>, Vec<usize>) = kinds.map(|kind| (Builder::new(kind), width(kind))).unzip();
        Rows { schema, builders, width: widths.into_iter().sum(), rows: 0, bytes: 0, before: 0 }
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Starts a row, whose values follow in column order.
    pub(super) fn row(&mut self) -> Row<'_> {
        self.rows += 1;
        self.bytes += self.width;
        Row { builders: self.builders.iter_mut(), bytes: &mut self.bytes }
    }

    /// Total number of rows, including those in completed batches.
    pub(super) fn count(&self) -> u64 {
        self.before + self.rows as u64
    }

    /// Size of the pending rows in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn is_full(&self) -> bool {
        self.rows >= ROWS || self.bytes >= BYTES
    }

    /// Takes the pending rows as a batch; `None` if there are no rows.
    pub(super) fn take(&mut self) -> io::Result<Option<RecordBatch>> {
        if self.rows == 0 {
            return Ok(None);
        }
        self.before = self.count();
        (self.rows, self.bytes) = (0, 0);
        let columns = self.builders.iter_mut().map(Builder::finish).collect();
        RecordBatch::try_new(Arc::clone(&self.schema), columns).map(Some).map_err(io::Error::other)
    }
}

/// A row, filled in column order. A value with another type than its column leaves the row incomplete, and the batch is
/// rejected.
pub(super) struct Row<'a> {
    builders: std::slice::IterMut<'a, Builder>,
    bytes: &'a mut usize,
}

impl<'a> Row<'a> {
    /// The builder of the next column.
    pub(super) fn next(&mut self) -> Option<&'a mut Builder> {
        self.builders.next()
    }

    pub(super) fn int(&mut self, value: Option<i64>) -> &mut Self {
        if let Some(Builder::Int(builder)) = self.next() {
            builder.append_option(value);
        }
        self
    }

    /// Appends a count. All counts of a capture fit.
    pub(super) fn count(&mut self, value: impl TryInto<i64>) -> &mut Self {
        self.int(value.try_into().ok())
    }

    pub(super) fn short(&mut self, value: Option<i32>) -> &mut Self {
        if let Some(Builder::Short(builder)) = self.next() {
            builder.append_option(value);
        }
        self
    }

    pub(super) fn float(&mut self, value: Option<f64>) -> &mut Self {
        if let Some(Builder::Float(builder)) = self.next() {
            builder.append_option(value);
        }
        self
    }

    pub(super) fn truth(&mut self, value: Option<bool>) -> &mut Self {
        if let Some(Builder::Bool(builder)) = self.next() {
            builder.append_option(value);
        }
        self
    }

    pub(super) fn text(&mut self, value: Option<&str>) -> &mut Self {
        *self.bytes += value.map_or(0, str::len);
        if let Some(Builder::Text(builder)) = self.next() {
            builder.append_option(value);
        }
        self
    }

    /// Appends a text, or null if it is empty.
    pub(super) fn words(&mut self, value: &str) -> &mut Self {
        self.text(Some(value).filter(|value| !value.is_empty()))
    }

    /// Appends displayed text without copying it.
    pub(super) fn shown(&mut self, value: Option<impl Display>) -> &mut Self {
        if let Some(Builder::Text(builder)) = self.next() {
            let before = builder.values_slice().len();
            match value {
                // Writing to memory does not fail; the written text becomes the value.
                Some(value) => {
                    let _ = write!(builder, "{value}");
                    *self.bytes += builder.values_slice().len() - before;
                    builder.append_value("");
                }
                None => builder.append_null(),
            }
        }
        self
    }

    pub(super) fn blob(&mut self, value: Option<&[u8]>) -> &mut Self {
        *self.bytes += value.map_or(0, <[u8]>::len);
        if let Some(Builder::Bytes(builder)) = self.next() {
            builder.append_option(value);
        }
        self
    }

    pub(super) fn time(&mut self, nanos: Option<i64>) -> &mut Self {
        if let Some(Builder::Time(builder)) = self.next() {
            builder.append_option(nanos);
        }
        self
    }

    pub(super) fn ints(&mut self, values: impl IntoIterator<Item = u64>) -> &mut Self {
        if let Some(Builder::Ints(builder)) = self.next() {
            for value in values {
                builder.values().append_option(i64::try_from(value).ok());
                *self.bytes += 8;
            }
            builder.append(true);
        }
        self
    }

    /// Counts bytes that were appended to a builder directly.
    pub(super) fn weigh(&mut self, bytes: usize) {
        *self.bytes += bytes;
    }
}
