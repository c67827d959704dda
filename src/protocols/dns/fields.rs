//! DNS fields, under Wireshark's names, and the summary lines of records.

use super::values::{
    ALGORITHMS, CLASSES, DIGESTS, EXTENDED_ERRORS, Kind, MATCHINGS, OPCODES, OPTIONS, RCODES, SELECTORS, SERVICE_KEYS,
    SSH_DIGESTS, SSH_KEYS, TYPES, USAGES,
};
use crate::tree::{Field, NodeRef, clean, fields, title};
use std::fmt;

fields! {
    DNS = protocol("dns", "DNS", "Domain Name System")
        .covers("Messages over UDP and TCP, record data of the common types, EDNS options, updates; responses matched with their queries")
        .leaves_open("DNS over HTTPS and TLS, stateful operations, verification of signatures");
    LENGTH = number("dns.length", "Length", "Bytes of the message, over TCP").once();
    ID = number("dns.id", "Transaction ID", "Copied into the response").hex(4).once();
    FLAGS = number("dns.flags", "Flags", "").hex(4).once();
    RESPONSE = bool("dns.flags.response", "Response", "").mask(0x8000).once();
    OPCODE = number("dns.flags.opcode", "Opcode", "Kind of query").mask(0x7800).names(OPCODES).once();
    AUTHORITATIVE = bool("dns.flags.authoritative", "Authoritative", "The server is an authority for the domain").mask(0x0400).once();
    CONFLICT = bool("dns.flags.conflict", "Conflict", "LLMNR: the sender received several responses for the name").mask(0x0400).once();
    TRUNCATED = bool("dns.flags.truncated", "Truncated", "The message exceeds the permitted length").mask(0x0200).once();
    REC_DESIRED = bool("dns.flags.recdesired", "Recursion desired", "The server is to resolve recursively").mask(0x0100).once();
    TENTATIVE = bool("dns.flags.tentative", "Tentative", "LLMNR: the sender has not verified that the name is unique").mask(0x0100).once();
    REC_AVAIL = bool("dns.flags.recavail", "Recursion available", "The server supports recursive queries").mask(0x0080).once();
    Z = bool("dns.flags.z", "Z", "Reserved, must be zero").mask(0x0040).once();
    AUTHENTICATED = bool("dns.flags.authenticated", "Answer authenticated", "AD: the server verified the data by DNSSEC").mask(0x0020).once();
    CHECK_DISABLE = bool("dns.flags.checkdisable", "Checking disabled", "CD: data without DNSSEC verification is acceptable").mask(0x0010).once();
    RCODE = number("dns.flags.rcode", "Reply code", "").mask(0x000f).names(RCODES).once();
    QUERIES = number("dns.count.queries", "Questions", "Number of entries").once();
    ANSWERS = number("dns.count.answers", "Answer RRs", "Number of resource records").once();
    AUTHORITIES = number("dns.count.auth_rr", "Authority RRs", "Number of resource records").once();
    ADDITIONALS = number("dns.count.add_rr", "Additional RRs", "Number of resource records").once();
    ZONES = number("dns.count.zones", "Zones", "Number of zone records in an update");
    PREREQUISITES = number("dns.count.prerequisites", "Prerequisites", "Number of prerequisite records in an update");
    UPDATES = number("dns.count.updates", "Updates", "Number of update records");

    QUERY = group("dns.query", "query", "Question section entry").collapsed(name_value, query_summary);
    QRY_NAME = text("dns.qry.name", "Name", "Queried domain name").once_per(&QUERY);
    QRY_NAME_LEN = number("dns.qry.name.len", "Name length", "In characters of the text form").once_per(&QUERY);
    LABELS = number("dns.count.labels", "Label count", "Labels of the name").once_per(&QUERY);
    QRY_TYPE = number("dns.qry.type", "Type", "Queried record type").names(TYPES).once_per(&QUERY);
    QRY_CLASS = number("dns.qry.class", "Class", "").hex(4).names(CLASSES).once_per(&QUERY);
    QRY_QU = bool("dns.qry.qu", "QU question", "mDNS: a unicast response is acceptable").mask(0x8000).once_per(&QUERY);

    ANSWER = group("dns.answer", "answer", "Answer section record").collapsed(name_value, record_summary);
    AUTHORITY = group("dns.authority", "authority", "Authority section record").collapsed(name_value, record_summary).alike(&ANSWER);
    ADDITIONAL = group("dns.additional", "additional", "Additional section record").collapsed(name_value, record_summary).alike(&ANSWER);
    RESP_NAME = text("dns.resp.name", "Name", "Owner name of the record").once_per(&ANSWER);
    RESP_TYPE = number("dns.resp.type", "Type", "").names(TYPES).once_per(&ANSWER);
    RESP_CLASS = number("dns.resp.class", "Class", "").hex(4).names(CLASSES).once_per(&ANSWER);
    CACHE_FLUSH = bool("dns.resp.cache_flush", "Cache flush", "mDNS: replaces cached records of this name and type").mask(0x8000).once_per(&ANSWER);
    TTL = number("dns.resp.ttl", "Time to live", "Seconds that the record may be cached").once_per(&ANSWER);
    RESP_LEN = number("dns.resp.len", "Data length", "In bytes").once_per(&ANSWER);
    DATA = bytes("dns.data", "Data", "Undissected bytes");

    A = ipv4("dns.a", "Address", "IPv4 address of the host").once_per(&ANSWER);
    AAAA = ipv6("dns.aaaa", "AAAA address", "IPv6 address of the host").once_per(&ANSWER);
    NS = text("dns.ns", "Name server", "Authoritative server of the zone").once_per(&ANSWER);
    MD = text("dns.md", "Mail destination", "Obsolete, RFC 1035");
    MF = text("dns.mf", "Mail forwarder", "Obsolete, RFC 1035");
    MB = text("dns.mb", "Mailbox domain", "Experimental, RFC 1035");
    MG = text("dns.mg", "Mail group member", "Experimental, RFC 1035");
    MR = text("dns.mr", "Mail rename", "Experimental, RFC 1035");
    NULL = bytes("dns.null", "Null data", "Experimental, RFC 1035");
    CNAME = text("dns.cname", "CNAME", "Canonical name of an alias").once_per(&ANSWER);
    DNAME = text("dns.dname", "DNAME", "Target of the whole subtree, RFC 6672").once_per(&ANSWER);
    PTR = text("dns.ptr.domain_name", "Domain name", "Target of the pointer").once_per(&ANSWER);
    SOA_MNAME = text("dns.soa.mname", "Primary name server", "").once_per(&ANSWER);
    SOA_RNAME = text("dns.soa.rname", "Responsible authority's mailbox", "").once_per(&ANSWER);
    SOA_SERIAL = number("dns.soa.serial_number", "Serial number", "Version of the zone").once_per(&ANSWER);
    SOA_REFRESH = number("dns.soa.refresh_interval", "Refresh interval", "Seconds between refreshes by secondary servers").once_per(&ANSWER);
    SOA_RETRY = number("dns.soa.retry_interval", "Retry interval", "Seconds before a failed refresh is retried").once_per(&ANSWER);
    SOA_EXPIRE = number("dns.soa.expire_limit", "Expire limit", "Seconds until a secondary server discards the zone").once_per(&ANSWER);
    SOA_MINIMUM = number("dns.soa.minimum_ttl", "Minimum TTL", "Seconds that negative responses may be cached").once_per(&ANSWER);
    WKS_ADDRESS = ipv4("dns.wks.address", "Address", "IPv4 address of the host");
    WKS_PROTOCOL = number("dns.wks.protocol", "Protocol", "IP protocol number");
    WKS_BITS = bytes("dns.wks.bits", "Port bitmap", "One bit for each port");
    HINFO_CPU_LENGTH = number("dns.hinfo.cpu_length", "CPU length", "In bytes").once_per(&ANSWER);
    HINFO_CPU = text("dns.hinfo.cpu", "CPU", "CPU type of the host").once_per(&ANSWER);
    HINFO_OS_LENGTH = number("dns.hinfo.os_length", "OS length", "In bytes").once_per(&ANSWER);
    HINFO_OS = text("dns.hinfo.os", "OS", "Operating system of the host").once_per(&ANSWER);
    MINFO_R = text("dns.minfo.r", "Responsible mailbox", "Mailbox responsible for the mailing list");
    MINFO_E = text("dns.minfo.e", "Error mailbox", "Mailbox for errors of the mailing list");
    MX_PREFERENCE = number("dns.mx.preference", "Preference", "The lowest value is preferred").once_per(&ANSWER);
    MX_EXCHANGE = text("dns.mx.mail_exchange", "Mail exchange", "Mail server of the domain").once_per(&ANSWER);
    TXT_LENGTH = number("dns.txt.length", "TXT length", "In bytes");
    TXT = text("dns.txt", "TXT", "Character string");
    SPF_LENGTH = number("dns.spf.length", "SPF length", "In bytes");
    SPF = text("dns.spf", "SPF", "Sender Policy Framework, RFC 4408");
    RP_MAILBOX = text("dns.rp.mailbox", "Mailbox", "Mailbox of the responsible person");
    RP_TXT = text("dns.rp.txt_rr", "TXT RR", "Domain name of TXT records about the person");
    AFSDB_SUBTYPE = number("dns.afsdb.subtype", "Subtype", "1 AFS cell database server, 2 DCE authenticated name server");
    AFSDB_HOST = text("dns.afsdb.hostname", "Host name", "");
    RT_SUBTYPE = number("dns.rt.subtype", "Preference", "The lowest value is preferred");
    RT_HOST = text("dns.rt.intermediate_host", "Intermediate host", "Host that relays packets, RFC 1183");
    X25_LENGTH = number("dns.x25.length", "Length", "In bytes");
    X25_ADDRESS = text("dns.x25.psdn_address", "PSDN-Address", "X.25 address");
    NSAP = bytes("dns.nsap.rdata", "NSAP data", "");
    KEY_FLAGS = number("dns.key.flags", "Flags", "").hex(4);
    KEY_PROTOCOL = number("dns.key.protocol", "Protocol", "");
    KEY_ALGORITHM = number("dns.key.algorithm", "Algorithm", "").names(ALGORITHMS);
    KEY = bytes("dns.key.public_key", "Public key", "");
    LOC_VERSION = number("dns.loc.version", "Version", "Always 0").once_per(&ANSWER);
    LOC_SIZE = number("dns.loc.size", "Size", "Centimetres, as mantissa and power of ten").once_per(&ANSWER);
    LOC_HORIZONTAL = number("dns.loc.horizontal_precision", "Horizontal precision", "Centimetres, as mantissa and power of ten").once_per(&ANSWER);
    LOC_VERTICAL = number("dns.loc.vertical_precision", "Vertical precision", "Centimetres, as mantissa and power of ten").once_per(&ANSWER);
    LOC_LATITUDE = number("dns.loc.latitude", "Latitude", "1/1000 arc seconds; 2^31 is the equator").once_per(&ANSWER);
    LOC_LONGITUDE = number("dns.loc.longitude", "Longitude", "1/1000 arc seconds; 2^31 is the prime meridian").once_per(&ANSWER);
    LOC_ALTITUDE = number("dns.loc.altitude", "Altitude", "Centimetres; 10,000,000 is the WGS 84 reference spheroid").once_per(&ANSWER);
    NXT = text("dns.nxt.next_domain_name", "Next domain name", "Next owner name in the zone");
    SRV_SERVICE = text("dns.srv.service", "Service", "First label of the owner name").once_per(&ANSWER);
    SRV_PROTO = text("dns.srv.proto", "Protocol", "Second label of the owner name").once_per(&ANSWER);
    SRV_NAME = text("dns.srv.name", "Name", "Remaining labels of the owner name").once_per(&ANSWER);
    SRV_PRIORITY = number("dns.srv.priority", "Priority", "The lowest value is tried first").once_per(&ANSWER);
    SRV_WEIGHT = number("dns.srv.weight", "Weight", "Relative weight among targets of equal priority").once_per(&ANSWER);
    SRV_PORT = number("dns.srv.port", "Port", "").once_per(&ANSWER);
    SRV_TARGET = text("dns.srv.target", "Target", "Host that provides the service").once_per(&ANSWER);
    NAPTR_ORDER = number("dns.naptr.order", "Order", "The lowest value is processed first").once_per(&ANSWER);
    NAPTR_PREFERENCE = number("dns.naptr.preference", "Preference", "The lowest value is processed first among equal orders").once_per(&ANSWER);
    NAPTR_FLAGS_LENGTH = number("dns.naptr.flags_length", "Flags length", "In bytes").once_per(&ANSWER);
    NAPTR_FLAGS = text("dns.naptr.flags", "Flags", "Control of the rewriting").once_per(&ANSWER);
    NAPTR_SERVICE_LENGTH = number("dns.naptr.service_length", "Service length", "In bytes").once_per(&ANSWER);
    NAPTR_SERVICE = text("dns.naptr.service", "Service", "Services available along the rewriting path").once_per(&ANSWER);
    NAPTR_REGEX_LENGTH = number("dns.naptr.regex_length", "Regex length", "In bytes").once_per(&ANSWER);
    NAPTR_REGEX = text("dns.naptr.regex", "Regex", "Substitution expression").once_per(&ANSWER);
    NAPTR_REPLACEMENT = text("dns.naptr.replacement", "Replacement", "Next domain name to query").once_per(&ANSWER);
    KX_PREFERENCE = number("dns.kx.preference", "Preference", "The lowest value is preferred");
    KX_EXCHANGE = text("dns.kx.key_exchange", "Key exchanger", "Host that exchanges keys for the owner, RFC 2230");
    CERT_TYPE = number("dns.cert.type", "Type", "");
    CERT_KEY_TAG = number("dns.cert.key_tag", "Key tag", "").hex(4);
    CERT_ALGORITHM = number("dns.cert.algorithm", "Algorithm", "").names(ALGORITHMS);
    CERT = bytes("dns.cert.certificate", "Certificate (or CRL)", "");
    APL = group("dns.apl", "address prefix", "RFC 3123");
    APL_FAMILY = number("dns.apl.address_family", "Address family", "1 IPv4, 2 IPv6");
    APL_PREFIX = number("dns.apl.coded_prefix", "Prefix length", "In bits");
    APL_NEGATION = bool("dns.apl.negation", "Negation", "Excludes the prefix from the list").mask(0x80);
    APL_LENGTH = number("dns.apl.afdlength", "Address length", "In bytes").mask(0x7f);
    APL_DATA = bytes("dns.apl.afdpart.data", "Address", "Without trailing zero bytes");
    DS_KEY_ID = number("dns.ds.key_id", "Key ID", "Key tag of the DNSKEY record").hex(4).once_per(&ANSWER);
    DS_ALGORITHM = number("dns.ds.algorithm", "Algorithm", "Algorithm of the DNSKEY record").names(ALGORITHMS).once_per(&ANSWER);
    DS_DIGEST_TYPE = number("dns.ds.digest_type", "Digest type", "").names(DIGESTS).once_per(&ANSWER);
    DS_DIGEST = bytes("dns.ds.digest", "Digest", "Digest of the child zone's DNSKEY record").once_per(&ANSWER);
    SSHFP_ALGORITHM = number("dns.sshfp.algorithm", "Algorithm", "Algorithm of the host key").names(SSH_KEYS).once_per(&ANSWER);
    SSHFP_TYPE = number("dns.sshfp.fingerprint.type", "Fingerprint type", "Hash algorithm").names(SSH_DIGESTS).once_per(&ANSWER);
    SSHFP = bytes("dns.sshfp.fingerprint", "Fingerprint", "Hash of the host key").once_per(&ANSWER);
    IPSECKEY_PRECEDENCE = number("dns.ipseckey.gateway_precedence", "Gateway precedence", "The lowest value is preferred").once_per(&ANSWER);
    IPSECKEY_TYPE = number("dns.ipseckey.gateway_type", "Gateway type", "0 none, 1 IPv4, 2 IPv6, 3 domain name").once_per(&ANSWER);
    IPSECKEY_ALGORITHM = number("dns.ipseckey.gateway_algorithm", "Algorithm", "Algorithm of the public key").once_per(&ANSWER);
    IPSECKEY_IPV4 = ipv4("dns.ipseckey.gateway_ipv4", "IPv4 gateway", "").once_per(&ANSWER);
    IPSECKEY_IPV6 = ipv6("dns.ipseckey.gateway_ipv6", "IPv6 gateway", "");
    IPSECKEY_DNS = text("dns.ipseckey.gateway_dns", "DNS gateway", "");
    IPSECKEY = bytes("dns.ipseckey.public_key", "Public key", "").once_per(&ANSWER);
    RRSIG_COVERED = number("dns.rrsig.type_covered", "Type covered", "Type of the signed records").names(TYPES).once_per(&ANSWER);
    RRSIG_ALGORITHM = number("dns.rrsig.algorithm", "Algorithm", "").names(ALGORITHMS).once_per(&ANSWER);
    RRSIG_LABELS = number("dns.rrsig.labels", "Labels", "Number of labels in the signed owner name").once_per(&ANSWER);
    RRSIG_TTL = number("dns.rrsig.original_ttl", "Original TTL", "In seconds, as signed").once_per(&ANSWER);
    RRSIG_EXPIRATION = text("dns.rrsig.signature_expiration", "Signature expiration", "End of the validity").once_per(&ANSWER);
    RRSIG_INCEPTION = text("dns.rrsig.signature_inception", "Signature inception", "Start of the validity").once_per(&ANSWER);
    RRSIG_KEY_TAG = number("dns.rrsig.key_tag", "Key tag", "Key tag of the DNSKEY record").once_per(&ANSWER);
    RRSIG_SIGNER = text("dns.rrsig.signers_name", "Signer's name", "Zone of the DNSKEY record").once_per(&ANSWER);
    RRSIG = bytes("dns.rrsig.signature", "Signature", "").once_per(&ANSWER);
    TYPE_WINDOW = number("dns.type_bitmap.window", "Type window", "Upper byte of the record types in the bitmap");
    TYPE_MAP_LENGTH = number("dns.type_bitmap.length", "Type bitmap length", "In bytes");
    TYPE_MAP = bytes("dns.type_bitmap", "Type bitmap", "One bit for each record type present");
    NSEC_NEXT = text("dns.nsec.next_domain_name", "Next domain name", "Next owner name in the zone").once_per(&ANSWER);
    DNSKEY_FLAGS = number("dns.dnskey.flags", "Flags", "").hex(4).once_per(&ANSWER);
    DNSKEY_ZONE = bool("dns.dnskey.flags.zone_key", "Zone key", "The key signs records of the zone").mask(0x0100).once_per(&ANSWER);
    DNSKEY_REVOKED = bool("dns.dnskey.flags.key_revoked", "Key revoked", "RFC 5011").mask(0x0080).once_per(&ANSWER);
    DNSKEY_SEP = bool("dns.dnskey.flags.secure_entry_point", "Key signing key", "Secure entry point: the key signs keys").mask(0x0001).once_per(&ANSWER);
    DNSKEY_PROTOCOL = number("dns.dnskey.protocol", "Protocol", "Always 3").once_per(&ANSWER);
    DNSKEY_ALGORITHM = number("dns.dnskey.algorithm", "Algorithm", "").names(ALGORITHMS).once_per(&ANSWER);
    DNSKEY = bytes("dns.dnskey.public_key", "Public key", "").once_per(&ANSWER);
    DHCID = bytes("dns.dhcid.rdata", "DHCID data", "Digest of the DHCP client identity, RFC 4701");
    NSEC3_ALGORITHM = number("dns.nsec3.algo", "Hash algorithm", "").names(DIGESTS).once_per(&ANSWER);
    NSEC3_FLAGS = number("dns.nsec3.flags", "NSEC3 flags", "").once_per(&ANSWER);
    NSEC3_OPT_OUT = bool("dns.nsec3.flags.opt_out", "Opt-out", "Unsigned delegations may be omitted").mask(0x01).once_per(&ANSWER);
    NSEC3_ITERATIONS = number("dns.nsec3.iterations", "Iterations", "Additional hash iterations").once_per(&ANSWER);
    NSEC3_SALT_LENGTH = number("dns.nsec3.salt_length", "Salt length", "In bytes").once_per(&ANSWER);
    NSEC3_SALT = bytes("dns.nsec3.salt_value", "Salt value", "Appended to the name before hashing").once_per(&ANSWER);
    NSEC3_HASH_LENGTH = number("dns.nsec3.hash_length", "Hash length", "In bytes").once_per(&ANSWER);
    NSEC3_HASH = text("dns.nsec3.hash_value", "Next hashed owner", "Hash of the next owner name, in base 32").once_per(&ANSWER);
    TLSA_USAGE = number("dns.tlsa.certificate_usage", "Certificate usage", "Relation of the association data to the server's certificate").names(USAGES).once_per(&ANSWER);
    TLSA_SELECTOR = number("dns.tlsa.selector", "Selector", "Whole certificate or its public key").names(SELECTORS).once_per(&ANSWER);
    TLSA_MATCHING = number("dns.tlsa.matching_type", "Matching type", "Exact match or hash algorithm").names(MATCHINGS).once_per(&ANSWER);
    TLSA = bytes("dns.tlsa.certificate_association_data", "Certificate association data", "").once_per(&ANSWER);
    HIP_HIT_LENGTH = number("dns.hip.hit.length", "HIT length", "In bytes");
    HIP_ALGORITHM = number("dns.hip.hit.pk.algo", "HIT public key algorithm", "");
    HIP_KEY_LENGTH = number("dns.hip.pk.length", "Public key length", "In bytes");
    HIP_HIT = bytes("dns.hip.hit", "Host identity tag", "HIT, RFC 8005");
    HIP_KEY = bytes("dns.hip.pk", "HIP public key", "");
    HIP_SERVER = text("dns.hip.rendezvous_server", "Rendezvous server", "");
    OPENPGPKEY = bytes("dns.openpgpkey", "OpenPGP key", "RFC 7929");
    CSYNC_SOA = number("dns.csync.soa", "SOA", "SOA serial number");
    CSYNC_FLAGS = number("dns.csync.flags", "Flags", "1 immediate, 2 soaminimum").hex(4);
    ZONEMD_SERIAL = number("dns.zonemd.serial", "Serial", "SOA serial number");
    ZONEMD_SCHEME = number("dns.zonemd.scheme", "Scheme", "Order in which the zone is digested");
    ZONEMD_HASH = number("dns.zonemd.hash_algo", "Hash algorithm", "");
    ZONEMD_DIGEST = bytes("dns.zonemd.digest", "Digest", "Digest of the zone");
    SVCB_PRIORITY = number("dns.svcb.svcpriority", "SvcPriority", "0 is AliasMode; else the lowest value is preferred").once_per(&ANSWER);
    SVCB_TARGET = text("dns.svcb.targetname", "TargetName", "Host that provides the service").once_per(&ANSWER);
    SVCB_PARAM = group("dns.svcb.svcparam", "SvcParam", "").titled(title::kind);
    SVCB_KEY = number("dns.svcb.svcparam.key", "SvcParamKey", "").names(SERVICE_KEYS);
    SVCB_LENGTH = number("dns.svcb.svcparam.value.length", "SvcParamValue length", "In bytes");
    SVCB_VALUE = bytes("dns.svcb.svcparam.value", "SvcParamValue", "");
    SVCB_MANDATORY = number("dns.svcb.svcparam.mandatory.key", "Mandatory key", "Parameter that clients must support").names(SERVICE_KEYS);
    SVCB_ALPN_LENGTH = number("dns.svcb.svcparam.alpn.length", "ALPN length", "In bytes");
    SVCB_ALPN = text("dns.svcb.svcparam.alpn", "ALPN", "Application protocol of the service");
    SVCB_PORT = number("dns.svcb.svcparam.port", "Port", "");
    SVCB_IPV4 = ipv4("dns.svcb.svcparam.ipv4hint.ip", "IP", "Address hint");
    SVCB_IPV6 = ipv6("dns.svcb.svcparam.ipv6hint.ip", "IP", "Address hint");
    SVCB_ECH = bytes("dns.svcb.svcparam.echconfig", "ECHConfig", "Configuration of the encrypted ClientHello");
    EUI48 = mac("dns.eui48", "EUI-48 address", "RFC 7043");
    EUI64 = bytes("dns.eui64", "EUI-64 address", "RFC 7043");
    TKEY_ALGORITHM = text("dns.tkey.algo_name", "Algorithm name", "Algorithm of the TSIG records that use the key");
    TKEY_INCEPTION = text("dns.tkey.signature_inception", "Signature inception", "Start of the key's validity");
    TKEY_EXPIRATION = text("dns.tkey.signature_expiration", "Signature expiration", "End of the key's validity");
    TKEY_MODE = number("dns.tkey.mode", "Mode", "Method of the key agreement");
    TKEY_ERROR = number("dns.tkey.error", "Error", "").names(RCODES);
    TKEY_KEY_SIZE = number("dns.tkey.key_size", "Key size", "In bytes");
    TKEY_KEY = bytes("dns.tkey.key_data", "Key data", "");
    TKEY_OTHER_SIZE = number("dns.tkey.other_size", "Other size", "In bytes");
    TKEY_OTHER = bytes("dns.tkey.other_data", "Other data", "");
    TSIG_ALGORITHM = text("dns.tsig.algorithm_name", "Algorithm name", "").once_per(&ANSWER);
    TSIG_TIME = text("dns.tsig.time_signed", "Time signed", "").once_per(&ANSWER);
    TSIG_FUDGE = number("dns.tsig.fudge", "Fudge", "Permitted clock difference in seconds").once_per(&ANSWER);
    TSIG_MAC_SIZE = number("dns.tsig.mac_size", "MAC size", "In bytes").once_per(&ANSWER);
    TSIG_MAC = bytes("dns.tsig.mac", "MAC", "Message authentication code").once_per(&ANSWER);
    TSIG_ORIGINAL_ID = number("dns.tsig.original_id", "Original ID", "Transaction ID of the signed message").once_per(&ANSWER);
    TSIG_ERROR = number("dns.tsig.error", "Error", "").names(RCODES).once_per(&ANSWER);
    TSIG_OTHER_LEN = number("dns.tsig.other_len", "Other length", "In bytes").once_per(&ANSWER);
    TSIG_OTHER = bytes("dns.tsig.other_data", "Other data", "");
    URI_PRIORITY = number("dns.uri.priority", "Priority", "The lowest value is tried first").once_per(&ANSWER);
    URI_WEIGHT = number("dns.uri.weight", "Weight", "Relative weight among targets of equal priority").once_per(&ANSWER);
    URI_TARGET = text("dns.uri.target", "Target", "URI").once_per(&ANSWER);
    CAA_FLAGS = number("dns.caa.flags", "CAA flags", "").hex(2).once_per(&ANSWER);
    CAA_CRITICAL = bool("dns.caa.flags.issuer_critical", "Issuer critical", "An issuer that does not support the tag must not issue").mask(0x80).once_per(&ANSWER);
    CAA_TAG_LENGTH = number("dns.caa.tag_length", "Tag length", "In bytes").once_per(&ANSWER);
    CAA_TAG = text("dns.caa.tag", "Tag", "Property, such as issue or issuewild").once_per(&ANSWER);
    CAA_VALUE = text("dns.caa.value", "Value", "Value of the property, such as the authorized issuer").once_per(&ANSWER);
    NID_PREFERENCE = number("dns.ilnp.nid.preference", "Preference", "The lowest value is preferred");
    NID = bytes("dns.ilnp.nid", "Node ID", "64-bit node identifier, RFC 6742");
    L32_PREFERENCE = number("dns.ilnp.l32.preference", "Preference", "The lowest value is preferred");
    L32 = ipv4("dns.ilnp.l32", "Locator", "32-bit locator, RFC 6742");
    L64_PREFERENCE = number("dns.ilnp.l64.preference", "Preference", "The lowest value is preferred");
    L64 = bytes("dns.ilnp.l64", "Locator", "64-bit locator, RFC 6742");
    LP_PREFERENCE = number("dns.ilnp.lp.preference", "Preference", "The lowest value is preferred");
    LP = text("dns.ilnp.lp", "Locator pointer", "Name of the locator records, RFC 6742");

    UDP_SIZE = number("dns.rr.udp_payload_size", "UDP payload size", "Largest message that the sender can reassemble, in bytes").once_per(&ANSWER);
    EXT_RCODE = number("dns.resp.ext_rcode", "Extended RCODE", "Upper 8 bits of the reply code").hex(2).once_per(&ANSWER);
    EDNS_VERSION = number("dns.resp.edns0_version", "EDNS0 version", "").once_per(&ANSWER);
    EDNS_Z = number("dns.resp.z", "Z", "EDNS flags").hex(4).once_per(&ANSWER);
    EDNS_DO = bool("dns.resp.z.do", "DO bit", "The sender accepts DNSSEC records").mask(0x8000).once_per(&ANSWER);
    EDNS_RESERVED = number("dns.resp.z.reserved", "Reserved", "Must be zero").hex(4).mask(0x7fff).once_per(&ANSWER);
    OPTION = group("dns.opt", "option", "EDNS option").titled(title::kind);
    OPT_CODE = number("dns.opt.code", "Option code", "").names(OPTIONS);
    OPT_LEN = number("dns.opt.len", "Option length", "In bytes");
    OPT_DATA = bytes("dns.opt.data", "Option data", "");
    OPT_DAU = number("dns.opt.dau", "DAU", "Supported DNSSEC algorithm, RFC 6975").names(ALGORITHMS);
    OPT_DHU = number("dns.opt.dhu", "DHU", "Supported DS hash algorithm, RFC 6975").names(DIGESTS);
    OPT_N3U = number("dns.opt.n3u", "N3U", "Supported NSEC3 hash algorithm, RFC 6975").names(DIGESTS);
    OPT_FAMILY = number("dns.opt.client.family", "Family", "1 IPv4, 2 IPv6");
    OPT_NETMASK = number("dns.opt.client.netmask", "Source netmask", "Prefix length of the client subnet, in bits");
    OPT_SCOPE = number("dns.opt.client.scope", "Scope netmask", "Prefix length that the response covers, in bits");
    OPT_SUBNET = bytes("dns.opt.client.addr", "Client subnet", "Without trailing zero bytes, RFC 7871");
    OPT_COOKIE_CLIENT = bytes("dns.opt.cookie.client", "Client cookie", "Copied into the response, RFC 7873");
    OPT_COOKIE_SERVER = bytes("dns.opt.cookie.server", "Server cookie", "Returned by the client in later queries");
    OPT_KEEPALIVE = number("dns.opt.edns_tcp_keepalive.timeout", "Timeout", "Idle timeout in units of 100 ms");
    OPT_PADDING = bytes("dns.opt.padding", "Padding", "");
    OPT_CHAIN = text("dns.opt.chain.fqdn", "Closest trust point", "Start of the requested DNSSEC chain, RFC 7901");
    OPT_ERROR = number("dns.opt.ext_error.info_code", "Info code", "RFC 8914").names(EXTENDED_ERRORS);
    OPT_ERROR_TEXT = text("dns.opt.ext_error.extra_text", "Extra text", "Details in UTF-8");

    RESPONSE_TO = number("dns.response_to", "Request in", "Frame of the query").once();
    TIME = float("dns.time", "Time", "Seconds since the query").seconds().once();
    UNSOLICITED = bool("dns.unsolicited", "Unsolicited", "The capture has no query for this response").once();
    RETRANSMISSION = bool("dns.retransmission", "Retransmission", "The query or response was sent before").once();
    RETRANSMIT_IN = number("dns.retransmit_request_in", "Original request in", "Frame of the original query").once();

    BAD_NAME = broken("dns.note.name", "bad name", "Domain name that cannot be decoded");
    BAD_DATA = broken("dns.note.data", "bad data", "Data that does not match the type of its record");
    BAD_COUNT = broken("dns.note.count", "bad count", "The header declares more entries than the message contains");
}

/// Fields shown in the summary of a record.
const SUMMARY_FIELDS: &[&Field] = &[&A, &AAAA, &NS, &CNAME, &DNAME, &PTR, &SOA_MNAME, &MX_EXCHANGE, &TXT, &SRV_TARGET, &SRV_PORT];

/// Name of a question or record.
fn name_value(node: NodeRef<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let name = node.children().find(|child| child.field().is(&QRY_NAME) || child.field().is(&RESP_NAME));
    name.map_or(Ok(()), |name| clean(&name.text(), out))
}

/// Type of a question.
fn query_summary(node: NodeRef<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    kind(node, &QRY_TYPE, out)
}

/// Type and main values of a record.
fn record_summary(node: NodeRef<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    kind(node, &RESP_TYPE, out)?;
    let telling = |child: &NodeRef<'_>| SUMMARY_FIELDS.iter().any(|field| child.field().is(field));
    node.children().filter(telling).try_for_each(|child| {
        out.write_char(' ')?;
        child.write_plain(out)
    })
}

fn kind(node: NodeRef<'_>, field: &Field, out: &mut dyn fmt::Write) -> fmt::Result {
    match node.child(field).and_then(NodeRef::number).and_then(|number| u16::try_from(number).ok()) {
        Some(number) => write!(out, "{}", Kind(number)),
        None => Ok(()),
    }
}
