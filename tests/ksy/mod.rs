//! Kaitai Struct files: as the program takes them, and their protocols over bytes and captures.

mod agree;
mod check;
mod cli;
mod decoded;
mod deliver;
mod files;
mod games;
mod hostile;
mod input;
mod limits;
mod live;
mod session_samples;
mod sessions;
mod sharing;
mod streams;
mod tables;
mod tried;
mod user;
