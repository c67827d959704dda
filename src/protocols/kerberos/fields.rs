//! Fields of messages.

use super::names::{CHECKSUMS, CIPHERS, ERRORS, MESSAGES, NAME_TYPES, PADATA};
use crate::tree::{fields, title};

fields! {
    KERBEROS = protocol("kerberos", "Kerberos", "Kerberos 5")
        .covers("Requests, responses, tickets and errors with names, times and ciphers; responses matched with their requests")
        .leaves_open("Decryption, values of most types of pre-authentication");
    RECORD_LENGTH = number("kerberos.rm.length", "Record Length", "In bytes").once();
    RESPONSE_TO = number("kerberos.response_to", "Response to", "Frame of the request").once();
    TIME = float("kerberos.time", "Time", "Seconds since the request").seconds().once();
    ELEMENT = bytes("kerberos.element", "element", "BER type and length");
    VERSION = number("kerberos.pvno", "pvno", "").once();
    TYPE = number("kerberos.msg_type", "msg-type", "").names(MESSAGES).once();
    PADATA_ITEM = group("kerberos.padata_item", "PA-DATA", "Pre-authentication").titled(title::kind);
    PADATA_TYPE = number("kerberos.padata_type", "padata-type", "").names(PADATA);
    PADATA_VALUE = bytes("kerberos.padata_value", "padata-value", "");
    ETYPE_INFO = group("kerberos.etype_info2_entry", "ETYPE-INFO2-ENTRY", "");
    SALT = text("kerberos.info2_salt", "salt", "");
    PARAMETERS = bytes("kerberos.s2kparams", "s2kparams", "");
    ARMORED = group("kerberos.armored_data", "armored-data", "FAST (RFC 6113)");
    ARMOR = group("kerberos.armor", "armor", "");
    ARMOR_TYPE = number("kerberos.armor_type", "armor-type", "").names(&[(1, "FX-FAST-ARMOR-AP-REQUEST")]);
    ARMOR_VALUE = bytes("kerberos.armor_value", "armor-value", "");
    REQUEST_CHECKSUM = group("kerberos.req_checksum", "req-checksum", "");
    FAST_REQUEST = group("kerberos.enc_fast_req", "enc-fast-req", "");
    FAST_RESPONSE = group("kerberos.enc_fast_rep", "enc-fast-rep", "");
    BODY = group("kerberos.req_body", "req-body", "").once();
    OPTIONS_PADDING = number("kerberos.options_unused_bits", "unused bits", "").once();
    OPTIONS = bytes("kerberos.kdc_options", "kdc-options", "").once();
    AP_OPTIONS = bytes("kerberos.ap_options", "ap-options", "").once();
    BITS_PADDING = number("kerberos.unused_bits", "unused bits", "");
    CNAME = group("kerberos.cname", "cname", "Client").once();
    SNAME = group("kerberos.sname", "sname", "Server");
    NAME_TYPE = number("kerberos.name_type", "name-type", "").names(NAME_TYPES);
    CNAME_STRING = text("kerberos.CNameString", "CNameString", "");
    SNAME_STRING = text("kerberos.SNameString", "SNameString", "");
    REALM = text("kerberos.realm", "realm", "");
    CREALM = text("kerberos.crealm", "crealm", "").once();
    FROM = text("kerberos.from_time", "from", "").once();
    TILL = text("kerberos.till_time", "till", "").once();
    RENEW = text("kerberos.rtime_time", "rtime", "").once();
    NONCE = number("kerberos.nonce", "nonce", "").once();
    CIPHER_LIST = number("kerberos.ENCTYPE", "ENCTYPE", "").names(CIPHERS);
    ADDRESS = group("kerberos.host_address", "HostAddress", "");
    ADDRESS_TYPE = number("kerberos.addr_type", "addr-type", "").names(&[(2, "IPv4"), (20, "NetBIOS"), (24, "IPv6")]);
    ADDRESS_VALUE = bytes("kerberos.address", "address", "");
    TICKET = group("kerberos.ticket", "ticket", "");
    TICKET_VERSION = number("kerberos.tkt_vno", "tkt-vno", "");
    ENCRYPTED = group("kerberos.enc_part", "enc-part", "Encrypted data");
    CIPHER = number("kerberos.etype", "etype", "").names(CIPHERS);
    KEY_VERSION = number("kerberos.kvno", "kvno", "");
    DATA = bytes("kerberos.cipher", "cipher", "").encrypted();
    CHECKSUM = number("kerberos.cksumtype", "cksumtype", "").names(CHECKSUMS);
    CHECKSUM_VALUE = bytes("kerberos.checksum", "checksum", "");
    CLIENT_TIME = text("kerberos.ctime_time", "ctime", "").once();
    CLIENT_MICROS = number("kerberos.cusec", "cusec", "Microseconds").once();
    SERVER_TIME = text("kerberos.stime_time", "stime", "").once();
    SERVER_MICROS = number("kerberos.susec", "susec", "Microseconds").once();
    ERROR = number("kerberos.error_code", "error-code", "").names(ERRORS).once();
    ERROR_TEXT = text("kerberos.e_text", "e-text", "").once();
    ERROR_DATA = bytes("kerberos.e_data", "e-data", "").once();
    UNKNOWN = bytes("kerberos.data", "Data", "Undissected bytes");
    BAD = broken("kerberos.note.value", "bad value", "Unexpected type or length");
}
