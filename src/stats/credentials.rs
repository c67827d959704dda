//! Logins with their user names, as tshark's `credentials`.
//!
//! Each password in clear is a row, with the user name that came with it or before it in its conversation. Passwords are shown
//! with `--show-secrets` only. tshark lists FTP, HTTP, IMAP, POP3 and SMTP; LDAP, MQTT and SOCKS are added.

use super::tables::Shown;
use crate::limits;
use crate::protocols;
use crate::record;
use crate::tree::{Demand, Dissection, Field, NodeRef, Only, StreamId};
use crate::wire::statistics::{Counter, Fact, Facts, LoginFields, Named, Page, Report, SecretForm, Seen, Statistic, Text};
use data_encoding::{BASE64, BASE64_NOPAD};
use std::collections::HashMap;
use std::io::{self, Write};

pub(super) static LOGINS: Statistic =
    Statistic::new(["credentials", "credentials", "logins with user names; passwords with --show-secrets"], |named| {
        Box::new(Credentials::new(named))
    });

/// Maximum length of a name or a password in characters.
const LONGEST: usize = 256;

/// User name of a password without one, as in tshark.
const NO_NAME: &str = "n.a.";

/// A login.
#[derive(Debug)]
struct Row {
    frame: u64,
    protocol: &'static str,
    user: Option<String>,
    /// Frame of the user name.
    named_in: Option<u64>,
    info: String,
    /// The password, if secrets are shown.
    password: Option<String>,
}

/// Values of a conversation before its password.
#[derive(Debug, Default, Clone)]
struct Login {
    user: Option<(String, u64)>,
    /// SASL mechanism that was begun: the name follows, or all at once.
    mechanism: Option<Mechanism>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mechanism {
    Login,
    Plain,
    Other,
}

impl Mechanism {
    fn named(name: &str) -> Mechanism {
        match name {
            _ if name.eq_ignore_ascii_case("LOGIN") => Mechanism::Login,
            _ if name.eq_ignore_ascii_case("PLAIN") => Mechanism::Plain,
            _ => Mechanism::Other,
        }
    }
}

/// Logins of a capture.
struct Credentials {
    rules: Vec<(&'static LoginFields, Vec<&'static Field>)>,
    fields: Vec<&'static Field>,
    rows: Vec<Row>,
    left_out: u64,
    logins: HashMap<(Option<StreamId>, &'static str), Login, foldhash::fast::RandomState>,
}

fn limited(text: &str) -> String {
    text.trim_end_matches(['\r', '\n']).chars().take(LONGEST).collect()
}

/// The bytes in base64, without line ends.
fn decoded(text: &[u8]) -> Option<Vec<u8>> {
    let text = text.trim_ascii();
    BASE64.decode(text).or_else(|_| BASE64_NOPAD.decode(text)).ok()
}

/// Text before and after the first of these bytes.
fn halves(bytes: &[u8], at: u8) -> Option<[String; 2]> {
    let (user, password) = bytes.split_at_checked(bytes.iter().position(|byte| *byte == at)?)?;
    let password = password.get(1..).unwrap_or_default();
    Some([user, password].map(|text| limited(&String::from_utf8_lossy(text))))
}

/// User name and password of SASL PLAIN.
fn plain(text: &[u8]) -> Option<[String; 2]> {
    let bytes = decoded(text)?;
    let begin = bytes.iter().position(|byte| *byte == 0)? + 1;
    halves(bytes.get(begin..)?, 0)
}

/// User name and password of the Basic scheme, in a header line or its value.
fn basic(line: &[u8]) -> Option<[String; 2]> {
    let text = line.rsplit(|byte| *byte == b':').next()?;
    let (scheme, digits) = text.trim_ascii_start().split_at_checked(b"Basic ".len())?;
    let is_basic = scheme.eq_ignore_ascii_case(b"Basic ");
    halves(&decoded(digits).filter(|_| is_basic)?, b':')
}

impl Credentials {
    fn new(named: Named<'_>) -> Credentials {
        let named_or_none = |name: &str| if name.is_empty() { Vec::new() } else { named(name) };
        let names = protocols::LOGINS
            .iter()
            .copied()
            .flat_map(|rule| [rule.command, rule.user].into_iter().chain(rule.secrets.iter().copied()));
        let fields = names.flat_map(named_or_none).collect();
        let rules = protocols::LOGINS.iter().copied().map(|rule| (rule, named(rule.layer))).collect();
        Credentials { rules, fields, rows: Vec::new(), left_out: 0, logins: HashMap::default() }
    }

    fn put(&mut self, row: Row) {
        if limits::STATS_ROWS.exceeds(self.rows.len()) {
            self.rows.push(row);
        } else {
            self.left_out += 1;
        }
    }

    fn message(&mut self, rule: &'static LoginFields, message: NodeRef<'_>, frame: u64, stream: Option<StreamId>) {
        let key = (stream, rule.layer);
        let mut login = self.logins.get(&key).cloned().unwrap_or_default();
        let mut command = String::new();
        for node in message.behind() {
            let name = node.field().abbrev;
            if name == rule.command {
                command = node.text().trim().to_ascii_uppercase();
            } else if rule.secrets.contains(&name) {
                self.secret(rule, node, &command, frame, &mut login);
            } else if name == rule.user {
                argument(&node.text(), &command, frame, &mut login);
            }
        }
        if limits::STATS_ROWS.exceeds(self.logins.len()) || self.logins.contains_key(&key) {
            self.logins.insert(key, login);
        }
    }

    fn secret(&mut self, rule: &'static LoginFields, node: NodeRef<'_>, command: &str, frame: u64, login: &mut Login) {
        let bytes = node.text_bytes();
        let form = match rule.password_commands {
            commands if commands.contains(&command) => SecretForm::Plain,
            [_, ..] if !command.is_empty() => return,
            _ => rule.form,
        };
        let found = match form {
            SecretForm::Plain => None,
            SecretForm::Basic | SecretForm::Sasl => {
                let read = if form == SecretForm::Basic { basic(bytes) } else { sasl(bytes, frame, login) };
                if read.is_none() {
                    return;
                }
                read
            }
        };
        let (user, password) = match found {
            Some([user, password]) if user.is_empty() => (login.user.clone(), password),
            Some([user, password]) => (Some((user, frame)), password),
            None => (login.user.clone(), limited(&String::from_utf8_lossy(bytes))),
        };
        let named_in = user.as_ref().map(|(_, frame)| *frame);
        let info = named_in.filter(|_| !rule.info.is_empty()).map(|frame| format!("{}{frame}", rule.info));
        let password = (!node.is_secret()).then_some(password);
        let user = user.map(|(user, _)| user);
        self.put(Row { frame, protocol: rule.protocol, user, named_in, info: info.unwrap_or_default(), password });
    }
}

/// Remembers a user name, or the mechanism of a login.
fn argument(text: &str, command: &str, frame: u64, login: &mut Login) {
    match command {
        "" | "USER" | "APOP" => login.user = Some((limited(text), frame)),
        "AUTH" => *login = Login { user: None, mechanism: Some(Mechanism::named(text.trim())) },
        _ => {}
    }
}

/// Reads a line of a SASL login. Returns the user name, empty if it was sent before, and the password.
fn sasl(line: &[u8], frame: u64, login: &mut Login) -> Option<[String; 2]> {
    let line = line.trim_ascii();
    if let Some(at) = line.iter().position(|byte| *byte == b' ') {
        // AUTH with an initial response.
        let (name, response) = line.split_at_checked(at)?;
        *login = Login { user: None, mechanism: Some(Mechanism::named(&String::from_utf8_lossy(name))) };
        return sasl(response, frame, login);
    }
    match (login.mechanism?, &login.user) {
        (Mechanism::Plain, _) => plain(line),
        (Mechanism::Login, None) => {
            login.user = Some((limited(&String::from_utf8_lossy(&decoded(line)?)), frame));
            None
        }
        (Mechanism::Login, Some(_)) => {
            login.mechanism = None;
            Some([String::new(), limited(&String::from_utf8_lossy(&decoded(line)?))])
        }
        (Mechanism::Other, _) => None,
    }
}

impl Counter for Credentials {
    fn demand(&self) -> Demand {
        Demand::of_stream_fields(Only::these(self.fields.iter().copied()))
    }

    fn tree(&mut self, of: Dissection<'_>, _: Seen) {
        for layer in &of.tree.layers {
            let Some(message) = of.layer_node(layer) else { continue };
            let is_own = |fields: &[&'static Field]| fields.iter().any(|own| own.is(message.field()));
            let Some((rule, _)) = self.rules.iter().find(|(_, layers)| is_own(layers)) else { continue };
            let rule: &'static LoginFields = rule;
            let stream = of.tree.ends.get(layer.ends as usize).and_then(|ends| ends.stream).map(|(stream, _)| stream);
            let (frame, _) = record::completed(of, layer);
            self.message(rule, message, frame, stream);
        }
    }

    fn report(&self) -> Report<'_> {
        Report::Text(self)
    }
}

impl Text for Credentials {
    fn print(&self, page: &Page<'_>, to: &mut dyn Write) -> io::Result<()> {
        const RULE: &str = "===================================================================";
        if page.begun {
            writeln!(to)?;
        }
        let revealed = self.rows.iter().any(|row| row.password.is_some());
        writeln!(
            to,
            "{RULE}\n{:<10} {:<16} {:<16} {:<16}{}",
            "Packet",
            "Protocol",
            "Username",
            "Info",
            if revealed { " Password" } else { "" }
        )?;
        writeln!(to, "------     --------         --------         --------{}", if revealed { "         --------" } else { "" })?;
        for row in &self.rows {
            let user = Shown(row.user.as_deref().unwrap_or(NO_NAME)).to_string();
            write!(to, "{:<10} {:<16} {user:<16} {:<16}", row.frame, row.protocol, row.info)?;
            match &row.password {
                Some(password) => writeln!(to, " {}", Shown(password))?,
                None => writeln!(to)?,
            }
        }
        writeln!(to, "{RULE}")?;
        match self.left_out {
            0 => Ok(()),
            count => writeln!(to, "{count} further logins are left out (--limit stats.rows=N)"),
        }
    }

    fn facts(&self) -> Facts<'_> {
        let logins = Fact::list(&self.rows, |row| {
            let mut facts: Facts<'_> = vec![("frame", row.frame.into()), ("protocol", row.protocol.into())];
            facts.extend(row.user.as_deref().map(|user| ("username", user.into())));
            facts.extend(row.named_in.map(|frame| ("username_frame", frame.into())));
            facts.extend(row.password.as_deref().map(|password| ("password", password.into())));
            facts
        });
        let mut facts = vec![("logins", logins)];
        if self.left_out > 0 {
            facts.push(("left_out", self.left_out.into()));
        }
        facts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_names_are_read_from_encoded_logins() {
        let both = |user: &str, password: &str| Some([user.to_owned(), password.to_owned()]);
        assert_eq!(basic(b" Basic YW5uYTptb3NzOmdyZWVu"), both("anna", "moss:green"));
        assert_eq!(basic(b"Authorization: basic YW5uYTptb3NzOmdyZWVu\r\n"), both("anna", "moss:green"));
        assert_eq!(basic(b"Bearer YW5uYTptb3NzOmdyZWVu"), None);
        assert_eq!(plain(b"AGFubmEAbW9zcy1ncmVlbg==\r\n"), both("anna", "moss-green"));
        assert_eq!(plain(b"not base64!"), None);
        let mut login = Login { user: None, mechanism: Some(Mechanism::Login) };
        assert_eq!(sasl(b"YW5uYQ==\r\n", 7, &mut login), None);
        assert_eq!(login.user, Some(("anna".to_owned(), 7)));
        assert_eq!(sasl(b"bW9zcw==", 9, &mut login), both("", "moss"));
        assert_eq!(sasl(b"PLAIN AGFubmEAbW9zcy1ncmVlbg==", 9, &mut Login::default()), both("anna", "moss-green"));
    }
}
