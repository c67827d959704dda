//! Names of numbers, from RFC 9113 and its extensions.

use crate::tree::Names;

pub(super) const TYPES: Names = &[
    (0, "DATA"),
    (1, "HEADERS"),
    (2, "PRIORITY"),
    (3, "RST_STREAM"),
    (4, "SETTINGS"),
    (5, "PUSH_PROMISE"),
    (6, "PING"),
    (7, "GOAWAY"),
    (8, "WINDOW_UPDATE"),
    (9, "CONTINUATION"),
    (10, "ALTSVC"),
    (11, "BLOCKED"),
    (12, "ORIGIN"),
    (16, "PRIORITY_UPDATE"),
];

pub(super) const DATA_FRAME: u8 = 0;
pub(super) const HEADERS_FRAME: u8 = 1;
pub(super) const PRIORITY_FRAME: u8 = 2;
pub(super) const RST_STREAM: u8 = 3;
pub(super) const SETTINGS_FRAME: u8 = 4;
pub(super) const PUSH_PROMISE: u8 = 5;
pub(super) const PING_FRAME: u8 = 6;
pub(super) const GOAWAY: u8 = 7;
pub(super) const WINDOW_UPDATE: u8 = 8;
pub(super) const CONTINUATION: u8 = 9;
pub(super) const ALTSVC: u8 = 10;
pub(super) const ORIGIN_FRAME: u8 = 12;
pub(super) const PRIORITY_UPDATE: u8 = 16;

pub(super) const SETTINGS_NAMES: Names = &[
    (1, "Header table size"),
    (2, "Enable PUSH"),
    (3, "Max concurrent streams"),
    (4, "Initial Windows size"),
    (5, "Max frame size"),
    (6, "Max header list size"),
    (8, "Extended CONNECT"),
];

pub(super) const ERRORS: Names = &[
    (0, "NO_ERROR"),
    (1, "PROTOCOL_ERROR"),
    (2, "INTERNAL_ERROR"),
    (3, "FLOW_CONTROL_ERROR"),
    (4, "SETTINGS_TIMEOUT"),
    (5, "STREAM_CLOSED"),
    (6, "FRAME_SIZE_ERROR"),
    (7, "REFUSED_STREAM"),
    (8, "CANCEL"),
    (9, "COMPRESSION_ERROR"),
    (10, "CONNECT_ERROR"),
    (11, "ENHANCE_YOUR_CALM"),
    (12, "INADEQUATE_SECURITY"),
    (13, "HTTP_1_1_REQUIRED"),
];
