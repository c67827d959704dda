//! Functions of Modbus.
//!
//! ```text
//! request       function:1 | parameters
//! response      function:1 | results
//! exception     function:1 with the highest bit set | code:1
//! ```
//! Not covered: file records and unknown functions, shown as bytes.

use super::PLACE;
use crate::limits;
use crate::tree::{Field, Names, Side, Value, fields, name_of};
use crate::wire::{Exchange, Heuristic, On, Protocol, Requests, Result, Wire};
use std::collections::VecDeque;

pub static PROTOCOL: Protocol =
    Protocol::new(&MODBUS, FIELDS).found(&[On::Over(PLACE).exchange::<Session>(Heuristic::Anything)]).rest(&DATA);

fields! {
    MODBUS = protocol("modbus", "Modbus", "Modbus")
        .covers("Requests and responses with coils, registers and exceptions; responses matched with their requests")
        .leaves_open("File records and functions of manufacturers");
    FUNCTION = number("modbus.func_code", "Function Code", "").mask(0x7f).names(FUNCTIONS).once();
    EXCEPTION = number("modbus.exception_code", "Exception Code", "").names(EXCEPTIONS).once();
    REFERENCE = number("modbus.reference_num", "Reference Number", "First coil or register").once();
    BIT_COUNT = number("modbus.bit_cnt", "Bit Count", "").once();
    WORD_COUNT = number("modbus.word_cnt", "Word Count", "").once();
    BYTE_COUNT = number("modbus.byte_cnt", "Byte Count", "").once();
    BYTE_COUNT_16 = number("modbus.byte_cnt_16", "Byte Count (16-bit)", "").once();
    READ_REFERENCE = number("modbus.read_reference_num", "Read Reference Number", "").once();
    READ_COUNT = number("modbus.read_word_cnt", "Read Word Count", "").once();
    WRITE_REFERENCE = number("modbus.write_reference_num", "Write Reference Number", "").once();
    WRITE_COUNT = number("modbus.write_word_cnt", "Write Word Count", "").once();
    AND_MASK = number("modbus.and_mask", "AND mask", "").hex(4).once();
    OR_MASK = number("modbus.or_mask", "OR mask", "").hex(4).once();
    DIAGNOSTIC = number("modbus.diagnostic_code", "Diagnostic Code", "").once();
    STATUS = number("modbus.exception_status", "Exception Status", "Eight outputs").hex(2).once();
    EVENT_STATUS = number("modbus.event_status", "Status", "0xffff while busy").hex(4).once();
    EVENT_COUNT = number("modbus.event_count", "Event Count", "").once();
    MEI = number("modbus.mei", "MEI type", "").names(MEI_TYPES).once();
    READ_DEVICE = number("modbus.read_device_id", "Read Device ID", "").names(DEVICE_IDS).once();
    CONFORMITY_LEVEL = number("modbus.conformity_level", "Conformity Level", "").hex(2).once();
    MORE_FOLLOWS = number("modbus.more_follows", "More Follows", "").hex(2).once();
    NEXT_OBJECT = number("modbus.next_object_id", "Next Object ID", "").once();
    OBJECT_COUNT = number("modbus.num_objs", "Number of Objects", "").once();
    OBJECT = group("modbus.object", "Object", "Of the identification of a device");
    OBJECT_ID = number("modbus.object_id", "Object ID", "").names(OBJECTS);
    OBJECT_LENGTH = number("modbus.list_object_len", "Object length", "Bytes");
    OBJECT_TEXT = text("modbus.object_str_value", "Object String Value", "");
    BIT_NUMBER = number("modbus.bitnum", "Bit Number", "");
    BIT_VALUE = bool("modbus.bitval", "Bit Value", "");
    REGISTER_NUMBER = number("modbus.regnum16", "Register Number", "");
    REGISTER_VALUE = number("modbus.regval_uint16", "Register Value (UINT16)", "");
    PADDING = bytes("modbus.padding", "Padding", "").once();
    DATA = bytes("modbus.data", "Data", "");
    REQUEST_FRAME = number("modbus.request_frame", "Request Frame", "").once();
    RESPONSE_TIME = float("modbus.response_time", "Time from request", "Seconds").seconds().once();
}

const FUNCTIONS: Names = &[
    (1, "Read Coils"),
    (2, "Read Discrete Inputs"),
    (3, "Read Holding Registers"),
    (4, "Read Input Registers"),
    (5, "Write Single Coil"),
    (6, "Write Single Register"),
    (7, "Read Exception Status"),
    (8, "Diagnostics"),
    (11, "Get Comm. Event Counters"),
    (12, "Get Comm. Event Log"),
    (15, "Write Multiple Coils"),
    (16, "Write Multiple Registers"),
    (17, "Report Slave ID"),
    (20, "Read File Record"),
    (21, "Write File Record"),
    (22, "Mask Write Register"),
    (23, "Read Write Register"),
    (24, "Read FIFO Queue"),
    (43, "Encapsulated Interface Transport"),
    (90, "Unity (Schneider)"),
];
const EXCEPTIONS: Names = &[
    (1, "Illegal function"),
    (2, "Illegal data address"),
    (3, "Illegal data value"),
    (4, "Slave device failure"),
    (5, "Acknowledge"),
    (6, "Slave device busy"),
    (8, "Memory parity error"),
    (10, "Gateway path unavailable"),
    (11, "Gateway target device failed to respond"),
];
const MEI_TYPES: Names = &[(13, "CANopen General Reference Request and Response PDU"), (14, "Read Device Identification")];
const DEVICE_IDS: Names = &[
    (1, "Basic Device Identification"),
    (2, "Regular Device Identification"),
    (3, "Extended Device Identification"),
    (4, "Specific Identification Object"),
];
const OBJECTS: Names = &[
    (0, "VendorName"),
    (1, "ProductCode"),
    (2, "MajorMinorRevision"),
    (3, "VendorURL"),
    (4, "ProductName"),
    (5, "ModelName"),
    (6, "UserApplicationName"),
];

/// What a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Asked {
    /// Transaction and unit.
    key: u64,
    function: u8,
    /// The first coil or register.
    first: u16,
    /// Their number.
    count: u16,
}

/// State of a connection.
#[derive(Default)]
pub(super) struct Session {
    requests: Requests<(u64, u8)>,
    /// Requests without response, the oldest first.
    asked: VecDeque<Asked>,
}

impl Session {
    fn ask(&mut self, asked: Asked) {
        self.asked.retain(|known| known.key != asked.key);
        // `requests` has the same limit and notes that it evicts.
        if self.asked.len() >= limits::REQUESTS.get() {
            self.asked.pop_front();
        }
        self.asked.push_back(asked);
    }

    /// The request that a response of this function answers.
    fn answered(&self, key: u64, function: u8) -> Option<Asked> {
        self.asked.iter().rev().find(|asked| (asked.key, asked.function) == (key, function)).copied()
    }
}

impl Exchange for Session {
    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let key = wire.detail();
        let function = wire.number_with(&FUNCTION, |[byte]: [u8; 1]| Value::Unsigned((byte & 0x7f).into()));
        let [byte] = function?;
        let function = byte & 0x7f;
        if from == Side::Client {
            let asked = request(wire, key, function)?;
            self.requests.ask((key, function), wire);
            self.ask(asked);
            return Ok(());
        }
        let name = name_of(FUNCTIONS, function.into()).unwrap_or("unknown function");
        if byte & 0x80 != 0 {
            wire.name("exception");
            let code = wire.u8(&EXCEPTION)?;
            match name_of(EXCEPTIONS, code.into()) {
                Some(meaning) => wire.info(format_args!("{name}: {meaning}")),
                None => wire.info(format_args!("{name}: code {code}")),
            }
        } else {
            wire.name("response");
            wire.info(format_args!("{name}"));
            response(wire, function, self.answered(key, function))?;
        }
        if let Some(request) = self.requests.answer(&(key, function)) {
            request.put(wire, &REQUEST_FRAME, &RESPONSE_TIME);
        }
        Ok(())
    }

    fn memory_usage(&self) -> usize {
        self.asked.capacity() * size_of::<Asked>()
    }
}

fn request(wire: &mut Wire<'_>, key: u64, function: u8) -> Result<Asked> {
    wire.name("request");
    let name = name_of(FUNCTIONS, function.into()).unwrap_or("unknown function");
    wire.info(format_args!("{name}"));
    let (mut first, mut count) = (0, 0);
    match function {
        1..=4 => {
            first = wire.u16_be(&REFERENCE)?;
            count = wire.u16_be(if function <= 2 { &BIT_COUNT } else { &WORD_COUNT })?;
        }
        5 => {
            first = wire.u16_be(&REFERENCE)?;
            coil(wire)?;
        }
        6 => {
            first = wire.u16_be(&REFERENCE)?;
            registers(wire, first, 2)?;
        }
        8 => diagnostics(wire)?,
        15 => {
            first = wire.u16_be(&REFERENCE)?;
            count = wire.u16_be(&BIT_COUNT)?;
            let bytes = wire.u8(&BYTE_COUNT)?;
            bits(wire, first, count, bytes)?;
        }
        16 => {
            first = wire.u16_be(&REFERENCE)?;
            count = wire.u16_be(&WORD_COUNT)?;
            let bytes = wire.u8(&BYTE_COUNT)?;
            registers(wire, first, bytes)?;
        }
        20 | 21 => drop(wire.u8(&BYTE_COUNT)?),
        22 => {
            first = wire.u16_be(&REFERENCE)?;
            masks(wire)?;
        }
        23 => {
            first = wire.u16_be(&READ_REFERENCE)?;
            count = wire.u16_be(&READ_COUNT)?;
            let start = wire.u16_be(&WRITE_REFERENCE)?;
            wire.u16_be(&WRITE_COUNT)?;
            let bytes = wire.u8(&BYTE_COUNT)?;
            registers(wire, start, bytes)?;
        }
        24 => first = wire.u16_be(&REFERENCE)?,
        43 => identification(wire, true)?,
        _ => {}
    }
    summarize(wire, name, function, first, count);
    data(wire);
    Ok(Asked { key, function, first, count })
}

fn summarize(wire: &mut Wire<'_>, name: &str, function: u8, first: u16, count: u16) {
    match (function, count) {
        (5 | 6 | 22 | 24, _) => wire.info(format_args!("{name} {first}")),
        (_, 0) => {}
        (_, 1) => wire.info(format_args!("{name} {first}")),
        _ => wire.info(format_args!("{name} {first} to {}", u32::from(first) + u32::from(count) - 1)),
    }
}

fn response(wire: &mut Wire<'_>, function: u8, asked: Option<Asked>) -> Result {
    match function {
        1..=4 | 23 => {
            let bytes = wire.u8(&BYTE_COUNT)?;
            match asked {
                Some(asked) if function <= 2 => bits(wire, asked.first, asked.count, bytes)?,
                Some(asked) => registers(wire, asked.first, bytes)?,
                None => {}
            }
        }
        5 => {
            wire.u16_be(&REFERENCE)?;
            coil(wire)?;
        }
        6 => {
            let first = wire.u16_be(&REFERENCE)?;
            registers(wire, first, 2)?;
        }
        7 => drop(wire.u8(&STATUS)?),
        8 => diagnostics(wire)?,
        11 => {
            wire.u16_be(&EVENT_STATUS)?;
            wire.u16_be(&EVENT_COUNT)?;
        }
        12 | 17 | 20 | 21 => drop(wire.u8(&BYTE_COUNT)?),
        15 | 16 => {
            wire.u16_be(&REFERENCE)?;
            wire.u16_be(if function == 15 { &BIT_COUNT } else { &WORD_COUNT })?;
        }
        22 => {
            wire.u16_be(&REFERENCE)?;
            masks(wire)?;
        }
        24 => {
            wire.u16_be(&BYTE_COUNT_16)?;
            wire.u16_be(&WORD_COUNT)?;
        }
        43 => identification(wire, false)?,
        _ => {}
    }
    data(wire);
    Ok(())
}

/// The rest of a PDU.
fn data(wire: &mut Wire<'_>) {
    wire.rest(&DATA);
}

/// The value of a coil.
fn coil(wire: &mut Wire<'_>) -> Result {
    wire.bytes(&DATA, 1)?;
    wire.bytes(&PADDING, 1).map(drop)
}

fn masks(wire: &mut Wire<'_>) -> Result {
    wire.u16_be(&AND_MASK)?;
    wire.u16_be(&OR_MASK).map(drop)
}

fn diagnostics(wire: &mut Wire<'_>) -> Result {
    wire.u16_be(&DIAGNOSTIC).map(drop)
}

/// Registers in this many bytes, numbered from `first`.
fn registers(wire: &mut Wire<'_>, first: u16, bytes: u8) -> Result {
    for place in 0..u16::from(bytes / 2) {
        let at = wire.at();
        if wire.remaining() >= size_of::<u16>() {
            wire.put(&REGISTER_NUMBER, Value::Unsigned(first.wrapping_add(place).into()), at..at + size_of::<u16>());
        }
        wire.u16_be(&REGISTER_VALUE)?;
    }
    Ok(())
}

/// Bits in this many bytes, the lowest of a byte first, numbered from `first`.
fn bits(wire: &mut Wire<'_>, first: u16, count: u16, bytes: u8) -> Result {
    let mut left = count;
    for place in 0..u16::from(bytes) {
        let at = wire.at();
        let Some(byte) = wire.peek_u8().filter(|_| left > 0) else { break };
        for bit in 0..left.min(8) {
            let number = first.wrapping_add(place.wrapping_mul(8)).wrapping_add(bit);
            wire.put(&BIT_NUMBER, Value::Unsigned(number.into()), at..at + 1);
            wire.put(&BIT_VALUE, Value::Bool(byte >> bit & 1 != 0), at..at + 1);
        }
        left = left.saturating_sub(8);
        wire.skip(1)?;
    }
    Ok(())
}

/// Identification of a device.
fn identification(wire: &mut Wire<'_>, is_request: bool) -> Result {
    const READ: u8 = 14;
    if wire.u8(&MEI)? != READ {
        return Ok(());
    }
    wire.u8(&READ_DEVICE)?;
    if is_request {
        return wire.u8(&OBJECT_ID).map(drop);
    }
    for field in [&CONFORMITY_LEVEL, &MORE_FOLLOWS, &NEXT_OBJECT] {
        let field: &'static Field = field;
        wire.u8(field)?;
    }
    for _ in 0..wire.u8(&OBJECT_COUNT)? {
        wire.group(&OBJECT, |wire| {
            wire.u8(&OBJECT_ID)?;
            wire.counted(Wire::u8, &OBJECT_LENGTH, &OBJECT_TEXT).map(drop)
        })?;
    }
    Ok(())
}
