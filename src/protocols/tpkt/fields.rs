//! Fields of COTP.

use crate::tree::{Names, fields};

fields! {
    COTP = protocol("cotp", "COTP", "ISO 8073/X.224 COTP Connection-Oriented Transport Protocol")
        .covers("All TPDUs with their parameters; user data joined and handed over")
        .leaves_open("Protocols of user data");
    LENGTH = number("cotp.li", "Length", "Length Indicator, length of this header");
    TYPE = number("cotp.type", "PDU Type", "PDU Type - upper nibble of byte").hex(2).names(TYPES);
    DESTINATION = number("cotp.destref", "Destination reference", "Destination address reference").hex(4);
    SOURCE = number("cotp.srcref", "Source reference", "Source address reference").hex(4);
    CLASS = number("cotp.class", "Class", "Transport protocol class").mask(0xf0);
    EXTENDED_FORMATS = bool("cotp.opts.extended_formats", "Extended formats", "Use of extended formats in classes 2, 3, and 4").mask(0x02);
    NO_FLOW_CONTROL = bool("cotp.opts.no_explicit_flow_control", "No explicit flow control", "No explicit flow control in class 2").mask(0x01);
    NUMBER = number("cotp.tpdu-number", "TPDU number", "").hex(2);
    LAST = bool("cotp.eot", "Last data unit", "Is current TPDU the last data unit of a complete DT TPDU sequence (End of TSDU)?");
    NEXT_NUMBER = number("cotp.next-tpdu-number", "Your TPDU number", "").hex(2);
    CAUSE = number("cotp.cause", "Cause", "").names(CAUSES);
    REJECT_CAUSE = number("cotp.reject_cause", "Reject cause", "").names(REJECT_CAUSES);
    SEGMENT_DATA = bytes("cotp.segment_data", "COTP segment data", "Part of a message");
    SEGMENT_COUNT = number("cotp.segment.count", "Segment count", "Segments of the message that this one ends").once();
    REASSEMBLED_LENGTH = number("cotp.reassembled.length", "Reassembled COTP length", "The total length of the reassembled payload").once();
    PARAMETER_CODE = number("cotp.parameter_code", "Parameter code", "").hex(2).names(CODES);
    PARAMETER_LENGTH = number("cotp.parameter_length", "Parameter length", "");
    PARAMETER_VALUE = bytes("cotp.parameter_value", "Parameter value", "");
    ACK_TIME = number("cotp.ack_time", "Ack time (ms)", "");
    ERROR_TARGET = number("cotp.res_error_rate.target_value", "Residual error rate, target value", "Power of ten");
    ERROR_MINIMUM = number("cotp.res_error_rate.min_accept", "Residual error rate, minimum acceptable", "Power of ten");
    ERROR_TSDU = number("cotp.res_error_rate.tdsu", "Residual error rate, TSDU size of interest", "Power of two");
    PRIORITY = number("cotp.vp_priority", "Priority", "");
    DELAY_TARGET_CALLED = number("cotp.transit_delay.targ_calling_called", "Transit delay, target value, calling-called (ms)", "");
    DELAY_MOST_CALLED = number("cotp.transit_delay.max_accept_calling_called", "Transit delay, maximum acceptable, calling-called (ms)", "");
    DELAY_TARGET_CALLING = number("cotp.transit_delay.targ_called_calling", "Transit delay, target value, called-calling (ms)", "");
    DELAY_MOST_CALLING = number("cotp.transit_delay.max_accept_called_calling", "Transit delay, maximum acceptable, called-calling (ms)", "");
    MOST_TARGET_CALLED = number("cotp.max_throughput.targ_calling_called", "Maximum throughput, target value, calling-called (o/s)", "");
    MOST_LEAST_CALLED = number("cotp.max_throughput.min_accept_calling_called", "Maximum throughput, minimum acceptable, calling-called (o/s)", "");
    MOST_TARGET_CALLING = number("cotp.max_throughput.targ_called_calling", "Maximum throughput, target value, called-calling (o/s)", "");
    MOST_LEAST_CALLING = number("cotp.max_throughput.min_accept_called_calling", "Maximum throughput, minimum acceptable, called-calling (o/s)", "");
    MEAN_TARGET_CALLED = number("cotp.avg_throughput.targ_calling_called", "Average throughput, target value, calling-called (o/s)", "");
    MEAN_LEAST_CALLED = number("cotp.avg_throughput.min_accept_calling_called", "Average throughput, minimum acceptable, calling-called (o/s)", "");
    MEAN_TARGET_CALLING = number("cotp.avg_throughput.targ_called_calling", "Average throughput, target value, called-calling (o/s)", "");
    MEAN_LEAST_CALLING = number("cotp.avg_throughput.min_accept_called_calling", "Average throughput, minimum acceptable, called-calling (o/s)", "");
    SEQUENCE_NUMBER = number("cotp.sequence_number", "Sequence number", "").hex(4);
    REASSIGNMENT = number("cotp.reassignment_time", "Reassignment time (secs)", "");
    LOWER_WINDOW_EDGE = number("cotp.lower_window_edge", "Lower window edge", "").hex(8);
    CREDIT = number("cotp.credit", "Credit", "");
    TPDU_SIZE = number("cotp.tpdu_size", "TPDU size", "Largest TPDU in bytes");
    SOURCE_TSAP = text("cotp.src-tsap", "Source TSAP", "Calling TSAP");
    SOURCE_TSAP_BYTES = bytes("cotp.src-tsap-bytes", "Source TSAP", "Calling TSAP (bytes representation)");
    DESTINATION_TSAP = text("cotp.dst-tsap", "Destination TSAP", "Called TSAP");
    DESTINATION_TSAP_BYTES = bytes("cotp.dst-tsap-bytes", "Destination TSAP", "Called TSAP (bytes representation)");
    CHECKSUM = number("cotp.checksum", "Checksum", "").hex(4);
    VERSION = number("cotp.vp_version_nr", "Version", "");
    NETWORK_EXPEDITED = bool("cotp.network_expedited_data", "Use of network expedited data", "In class 1").mask(0x08);
    EXPLICIT_AK = bool("cotp.vp_opt_sel_class1_use", "Use", "Receipt confirmation in class 1, else an explicit AK variant").mask(0x04);
    CHECKSUM_16 = bool("cotp.use_16_bit_checksum", "16 bit checksum", "In class 4").mask(0x02);
    EXPEDITED = bool("cotp.transport_expedited_data_transfer", "Transport expedited data transfer", "").mask(0x01);
    PREFERRED_SIZE = number("cotp.preferred_maximum_tpdu_size", "Preferred maximum TPDU size", "In bytes, a multiple of 128");
    INACTIVITY = number("cotp.inactivity_timer", "Inactivity timer (ms)", "");
    BAD_LENGTH = broken("cotp.li.invalid", "bad length", "The length is not that of the type");
    BAD_TYPE = odd("cotp.type.unknown", "unknown type", "No TPDU has this type");
    MULTIPLE = info("cotp.multiple_tpdus", "several TPDUs", "Multiple TPDUs in one packet");
    NOT_JOINED = info("cotp.segments.dropped", "not joined", "The message is longer than the limit, or its first segments are missing");
}

pub(super) const TYPES: Names = &[
    (0x1, "ED Expedited Data"),
    (0x2, "EA Expedited Data Acknowledgement"),
    (0x5, "RJ Reject"),
    (0x6, "AK Data Acknowledgement"),
    (0x7, "ER TPDU Error"),
    (0x8, "DR Disconnect Request"),
    (0xc, "DC Disconnect Confirm"),
    (0xd, "CC Connect Confirm"),
    (0xe, "CR Connect Request"),
    (0xf, "DT Data"),
];
pub(super) const CAUSES: Names = &[
    (0, "Reason not specified"),
    (1, "Congestion at TSAP"),
    (2, "Session entity not attached to TSAP"),
    (3, "Address unknown"),
    (128, "Normal Disconnect"),
    (129, "Remote transport entity congestion"),
    (130, "Connection negotiation failed"),
    (131, "Duplicate source reference"),
    (132, "Mismatched references"),
    (133, "Protocol error"),
    (135, "Reference overflow"),
    (136, "Connection request refused"),
    (138, "Header or parameter length invalid"),
];
pub(super) const REJECT_CAUSES: Names =
    &[(0, "Reason not specified"), (1, "Invalid parameter code"), (2, "Invalid TPDU type"), (3, "Invalid parameter value")];
pub(super) const CODES: Names = &[
    (0x85, "ack time"),
    (0x86, "res error"),
    (0x87, "priority"),
    (0x88, "transit delay"),
    (0x89, "throughput"),
    (0x8a, "seq number"),
    (0x8b, "reassignment"),
    (0x8c, "flow control"),
    (0xc0, "tpdu-size"),
    (0xc1, "src-tsap"),
    (0xc2, "dst-tsap"),
    (0xc3, "checksum"),
    (0xc4, "version"),
    (0xc5, "protection"),
    (0xc6, "options"),
    (0xc7, "proto class"),
    (0xe0, "additional connection clearing info"),
    (0xf0, "preferred max TPDU size"),
    (0xf2, "inactivity timer"),
];
