//! Values of the options that state how an input is written.

use crate::input::{InputFormat, Split, WordOrder};
use clap::ValueEnum;

/// Input formats of `--input-format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum InputForm {
    /// Capture file: pcap, pcapng or snoop
    Pcap,
    /// Hex text
    Hex,
    /// Raw bytes of the protocol or link type of --as, --link or --port
    Raw,
    /// Wireshark's Follow Stream hex dump
    Follow,
}

impl From<InputForm> for InputFormat {
    fn from(form: InputForm) -> InputFormat {
        match form {
            InputForm::Pcap => InputFormat::Pcap,
            InputForm::Hex => InputFormat::Hex,
            InputForm::Raw => InputFormat::Raw,
            InputForm::Follow => InputFormat::Follow,
        }
    }
}

/// Values of `--split`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SplitForm {
    /// Each line is a packet
    Lines,
    /// Only blank lines separate packets
    Blank,
    /// The text is one packet
    None,
}

impl From<SplitForm> for Split {
    fn from(form: SplitForm) -> Split {
        match form {
            SplitForm::Lines => Split::Lines,
            SplitForm::Blank => Split::Blank,
            SplitForm::None => Split::None,
        }
    }
}

/// Values of `--words`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum WordForm {
    /// The lowest byte first, as in memory
    Le,
    /// The highest byte first
    Be,
}

impl From<WordForm> for WordOrder {
    fn from(form: WordForm) -> WordOrder {
        match form {
            WordForm::Le => WordOrder::Little,
            WordForm::Be => WordOrder::Big,
        }
    }
}
