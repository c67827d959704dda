//! Names of numbers, as IANA lists them.

use crate::tree::Names;

pub(super) const MESSAGES: Names = &[
    (10, "krb-as-req"),
    (11, "krb-as-rep"),
    (12, "krb-tgs-req"),
    (13, "krb-tgs-rep"),
    (14, "krb-ap-req"),
    (15, "krb-ap-rep"),
    (20, "krb-safe"),
    (21, "krb-priv"),
    (22, "krb-cred"),
    (30, "krb-error"),
];
pub(super) const NAME_TYPES: Names = &[
    (0, "kRB5-NT-UNKNOWN"),
    (1, "kRB5-NT-PRINCIPAL"),
    (2, "kRB5-NT-SRV-INST"),
    (3, "kRB5-NT-SRV-HST"),
    (4, "kRB5-NT-SRV-XHST"),
    (5, "kRB5-NT-UID"),
    (6, "kRB5-NT-X500-PRINCIPAL"),
    (7, "kRB5-NT-SMTP-NAME"),
    (10, "kRB5-NT-ENTERPRISE-PRINCIPAL"),
    (11, "kRB5-NT-WELLKNOWN"),
];
pub(super) const CIPHERS: Names = &[
    (1, "eTYPE-DES-CBC-CRC"),
    (3, "eTYPE-DES-CBC-MD5"),
    (16, "eTYPE-DES3-CBC-SHA1"),
    (17, "eTYPE-AES128-CTS-HMAC-SHA1-96"),
    (18, "eTYPE-AES256-CTS-HMAC-SHA1-96"),
    (19, "eTYPE-AES128-CTS-HMAC-SHA256-128"),
    (20, "eTYPE-AES256-CTS-HMAC-SHA384-192"),
    (23, "eTYPE-ARCFOUR-HMAC-MD5"),
    (24, "eTYPE-ARCFOUR-HMAC-MD5-56"),
    (25, "eTYPE-CAMELLIA128-CTS-CMAC"),
    (26, "eTYPE-CAMELLIA256-CTS-CMAC"),
];
pub(super) const CHECKSUMS: Names =
    &[(7, "cKSUMTYPE-RSA-MD5"), (15, "cKSUMTYPE-HMAC-SHA1-96-AES-128"), (16, "cKSUMTYPE-HMAC-SHA1-96-AES-256")];
pub(super) const PADATA: Names = &[
    (1, "pA-TGS-REQ"),
    (2, "pA-ENC-TIMESTAMP"),
    (3, "pA-PW-SALT"),
    (11, "pA-ETYPE-INFO"),
    (16, "pA-PK-AS-REQ"),
    (17, "pA-PK-AS-REP"),
    (19, "pA-ETYPE-INFO2"),
    (128, "pA-PAC-REQUEST"),
    (129, "pA-FOR-USER"),
    (133, "pA-FX-COOKIE"),
    (136, "pA-FX-FAST"),
    (137, "pA-FX-ERROR"),
    (138, "pA-ENCRYPTED-CHALLENGE"),
    (149, "pA-REQ-ENC-PA-REP"),
    (150, "pA-AS-FRESHNESS"),
    (165, "pA-SUPPORTED-ETYPES"),
    (167, "pA-PAC-OPTIONS"),
];
pub(super) const ERRORS: Names = &[
    (0, "eRR-NONE"),
    (6, "eRR-C-PRINCIPAL-UNKNOWN"),
    (7, "eRR-S-PRINCIPAL-UNKNOWN"),
    (12, "eRR-POLICY"),
    (13, "eRR-BADOPTION"),
    (14, "eRR-ETYPE-NOSUPP"),
    (18, "eRR-CLIENT-REVOKED"),
    (23, "eRR-KEY-EXP"),
    (24, "eRR-PREAUTH-FAILED"),
    (25, "eRR-PREAUTH-REQUIRED"),
    (29, "eRR-SVC-UNAVAILABLE"),
    (31, "eRR-BAD-INTEGRITY"),
    (32, "eRR-TKT-EXPIRED"),
    (33, "eRR-TKT-NYV"),
    (34, "eRR-REPEAT"),
    (37, "eRR-SKEW"),
    (41, "eRR-MODIFIED"),
    (52, "eRR-RESPONSE-TOO-BIG"),
    (60, "eRR-GENERIC"),
    (68, "eRR-WRONG-REALM"),
];
