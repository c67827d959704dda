//! Statistics: what they count, and what of them is asked for.

mod as_tshark;
mod asked;
mod counted;
mod logins;
mod trees;
