//! Where a protocol has its logins.

/// Fields of a protocol that has logins, by name.
pub struct LoginFields {
    /// The protocol.
    pub layer: &'static str,
    /// Its name in the list of logins.
    pub protocol: &'static str,
    /// Commands, which state what their first argument is; empty if there are none.
    pub command: &'static str,
    /// User names, or arguments of commands; empty if there are none.
    pub user: &'static str,
    /// Secrets that hold the password.
    pub secrets: &'static [&'static str],
    /// Commands whose secret is the password. If there are any, the secret of another command is no password.
    pub password_commands: &'static [&'static str],
    /// How a secret without a command holds the password.
    pub form: SecretForm,
    /// Words before the frame of the user name, if it came in another one.
    pub info: &'static str,
}

/// How a secret holds the password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretForm {
    /// It is the password.
    Plain,
    /// It is a value of the Basic scheme, with the user name (RFC 7617).
    Basic,
    /// It is a line of a SASL exchange (RFC 4422).
    Sasl,
}

impl LoginFields {
    /// A login with a field of user names and one of passwords in clear.
    #[must_use]
    pub const fn plain([layer, protocol, user]: [&'static str; 3], secrets: &'static [&'static str]) -> LoginFields {
        let form = SecretForm::Plain;
        LoginFields { layer, protocol, command: "", user, secrets, password_commands: &[], form, info: "" }
    }
}
