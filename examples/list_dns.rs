//! Lists the names in DNS responses with their addresses: `cargo run --example list_dns samples/talk.pcap`.

use proto_dissect::Session;
use std::error::Error;
use std::fs::File;

fn main() -> Result<(), Box<dyn Error>> {
    let Some(path) = std::env::args_os().nth(1) else {
        return Err("usage: list_dns CAPTURE".into());
    };
    let file = File::open(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut session = Session::open(file)?.filter("dns.flags.response == 1")?;
    let mut is_empty = true;
    while let Some(record) = session.next_record()? {
        let Some(name) = record.field("dns.qry.name") else { continue };
        is_empty = false;
        print!("{name}");
        for address in record.fields("dns.a").chain(record.fields("dns.aaaa")) {
            print!(" {address}");
        }
        println!();
    }
    if is_empty {
        eprintln!("no DNS responses");
    }
    Ok(())
}
