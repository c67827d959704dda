//! Names of numbers (MS-SMB2, MS-ERREF, MS-FSCC).

use crate::tree::Names;

pub(super) const COMMANDS: Names = &[
    (0, "Negotiate Protocol"),
    (1, "Session Setup"),
    (2, "Session Logoff"),
    (3, "Tree Connect"),
    (4, "Tree Disconnect"),
    (5, "Create"),
    (6, "Close"),
    (7, "Flush"),
    (8, "Read"),
    (9, "Write"),
    (10, "Lock"),
    (11, "Ioctl"),
    (12, "Cancel"),
    (13, "KeepAlive"),
    (14, "Find"),
    (15, "Notify"),
    (16, "GetInfo"),
    (17, "SetInfo"),
    (18, "Break"),
];
pub(in crate::protocols) const STATUSES: Names = &[
    (0x0000_0000, "STATUS_SUCCESS"),
    (0x0000_0103, "STATUS_PENDING"),
    (0x0000_010b, "STATUS_NOTIFY_CLEANUP"),
    (0x0000_010c, "STATUS_NOTIFY_ENUM_DIR"),
    (0x8000_0005, "STATUS_BUFFER_OVERFLOW"),
    (0x8000_0006, "STATUS_NO_MORE_FILES"),
    (0xc000_0002, "STATUS_NOT_IMPLEMENTED"),
    (0xc000_0003, "STATUS_INVALID_INFO_CLASS"),
    (0xc000_0004, "STATUS_INFO_LENGTH_MISMATCH"),
    (0xc000_0008, "STATUS_INVALID_HANDLE"),
    (0xc000_000d, "STATUS_INVALID_PARAMETER"),
    (0xc000_000f, "STATUS_NO_SUCH_FILE"),
    (0xc000_0010, "STATUS_INVALID_DEVICE_REQUEST"),
    (0xc000_0011, "STATUS_END_OF_FILE"),
    (0xc000_0016, "STATUS_MORE_PROCESSING_REQUIRED"),
    (0xc000_0022, "STATUS_ACCESS_DENIED"),
    (0xc000_0023, "STATUS_BUFFER_TOO_SMALL"),
    (0xc000_0033, "STATUS_OBJECT_NAME_INVALID"),
    (0xc000_0034, "STATUS_OBJECT_NAME_NOT_FOUND"),
    (0xc000_0035, "STATUS_OBJECT_NAME_COLLISION"),
    (0xc000_003a, "STATUS_OBJECT_PATH_NOT_FOUND"),
    (0xc000_0043, "STATUS_SHARING_VIOLATION"),
    (0xc000_0054, "STATUS_FILE_LOCK_CONFLICT"),
    (0xc000_0056, "STATUS_DELETE_PENDING"),
    (0xc000_006d, "STATUS_LOGON_FAILURE"),
    (0xc000_0071, "STATUS_PASSWORD_EXPIRED"),
    (0xc000_0072, "STATUS_ACCOUNT_DISABLED"),
    (0xc000_007f, "STATUS_DISK_FULL"),
    (0xc000_00ba, "STATUS_FILE_IS_A_DIRECTORY"),
    (0xc000_00bb, "STATUS_NOT_SUPPORTED"),
    (0xc000_00c9, "STATUS_NETWORK_NAME_DELETED"),
    (0xc000_00cc, "STATUS_BAD_NETWORK_NAME"),
    (0xc000_0101, "STATUS_DIRECTORY_NOT_EMPTY"),
    (0xc000_0103, "STATUS_NOT_A_DIRECTORY"),
    (0xc000_0120, "STATUS_CANCELLED"),
    (0xc000_0128, "STATUS_FILE_CLOSED"),
    (0xc000_0203, "STATUS_USER_SESSION_DELETED"),
    (0xc000_0225, "STATUS_NOT_FOUND"),
    (0xc000_0257, "STATUS_PATH_NOT_COVERED"),
];
pub(super) const DIALECTS: Names = &[
    (0x0202, "SMB 2.0.2"),
    (0x0210, "SMB 2.1"),
    (0x02ff, "SMB2 wildcard"),
    (0x0300, "SMB 3.0"),
    (0x0302, "SMB 3.0.2"),
    (0x0311, "SMB 3.1.1"),
];
pub(super) const CONTEXTS: Names = &[
    (0x0001, "SMB2_PREAUTH_INTEGRITY_CAPABILITIES"),
    (0x0002, "SMB2_ENCRYPTION_CAPABILITIES"),
    (0x0003, "SMB2_COMPRESSION_CAPABILITIES"),
    (0x0005, "SMB2_NETNAME_NEGOTIATE_CONTEXT_ID"),
    (0x0006, "SMB2_TRANSPORT_CAPABILITIES"),
    (0x0007, "SMB2_RDMA_TRANSFORM_CAPABILITIES"),
    (0x0008, "SMB2_SIGNING_CAPABILITIES"),
];
pub(super) const SHARES: Names = &[(1, "Physical disk"), (2, "Named pipe"), (3, "Printer")];
pub(super) const OPLOCKS: Names =
    &[(0x00, "No oplock"), (0x01, "Level2 oplock"), (0x08, "Exclusive oplock"), (0x09, "Batch oplock"), (0xff, "Lease")];
pub(super) const IMPERSONATIONS: Names = &[(0, "Anonymous"), (1, "Identification"), (2, "Impersonation"), (3, "Delegate")];
pub(super) const DISPOSITIONS: Names = &[
    (0, "Supersede (supersede existing file (if it exists))"),
    (1, "Open (if file exists open it, else fail)"),
    (2, "Create (if file exists fail, else create it)"),
    (3, "Open If (if file exists open it, else create it)"),
    (4, "Overwrite (if file exists overwrite, else fail)"),
    (5, "Overwrite If (if file exists overwrite, else create it)"),
];
pub(super) const ACTIONS: Names = &[
    (0, "The file was superseded"),
    (1, "The file existed and was opened"),
    (2, "The file did not exist but was created"),
    (3, "The file existed and was truncated"),
];
pub(super) const CLASSES: Names = &[(1, "FILE_INFO"), (2, "FS_INFO"), (3, "SEC_INFO"), (4, "QUOTA_INFO")];
pub(super) const LISTINGS: Names = &[
    (1, "SMB2_FIND_DIRECTORY_INFO"),
    (2, "SMB2_FIND_FULL_DIRECTORY_INFO"),
    (3, "SMB2_FIND_BOTH_DIRECTORY_INFO"),
    (12, "SMB2_FIND_NAME_INFO"),
    (37, "SMB2_FIND_ID_BOTH_DIRECTORY_INFO"),
    (38, "SMB2_FIND_ID_FULL_DIRECTORY_INFO"),
];
pub(super) const FUNCTIONS: Names = &[
    (0x0006_0194, "FSCTL_DFS_GET_REFERRALS"),
    (0x0006_01b0, "FSCTL_DFS_GET_REFERRALS_EX"),
    (0x0009_00a4, "FSCTL_SET_REPARSE_POINT"),
    (0x0009_00a8, "FSCTL_GET_REPARSE_POINT"),
    (0x0011_0018, "FSCTL_PIPE_WAIT"),
    (0x0011_400c, "FSCTL_PIPE_PEEK"),
    (0x0011_c017, "FSCTL_PIPE_TRANSCEIVE"),
    (0x0014_0078, "FSCTL_SRV_REQUEST_RESUME_KEY"),
    (0x0014_01d4, "FSCTL_LMR_REQUEST_RESILIENCY"),
    (0x0014_01fc, "FSCTL_QUERY_NETWORK_INTERFACE_INFO"),
    (0x0014_0204, "FSCTL_VALIDATE_NEGOTIATE_INFO"),
    (0x0014_4064, "FSCTL_SRV_ENUMERATE_SNAPSHOTS"),
    (0x0014_40f2, "FSCTL_SRV_COPYCHUNK"),
];
