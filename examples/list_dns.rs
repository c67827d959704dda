//! Lists the DNS requests of a capture with their answers: `cargo run --example list_dns samples/neighbours.pcap`.

use proto_dissect::Session;
use std::error::Error;
use std::fs::File;

fn main() -> Result<(), Box<dyn Error>> {
    let Some(path) = std::env::args_os().nth(1) else {
        return Err("usage: list_dns CAPTURE".into());
    };
    let file = File::open(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut session = Session::open(file)?.filter("dns.flags.response == 1")?;
    while let Some(record) = session.next_record()? {
        let Some(name) = record.field("dns.qry.name") else { continue };
        print!("{name}");
        for address in record.fields("dns.a").chain(record.fields("dns.aaaa")) {
            print!(" {address}");
        }
        println!();
    }
    Ok(())
}
