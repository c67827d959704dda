//! Discovery: the app broadcasts a request, and each game responds.

use super::*;
use crate::tree::{Side, Time, Value};
use crate::wire::{Exchange, Result, Wire};

/// The last request of an app, and the number of responses to it.
#[derive(Default)]
pub(super) struct Discovery {
    asked: Option<(u64, Time)>,
    answers: u64,
}

impl Exchange for Discovery {
    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        let parsed = json::object(wire, &DISCOVERY_JSON, DISCOVERY_MEMBERS);
        let busy = parsed.of(&DISCOVERY_IS_BUSY).map(|is| if is == "true" { "busy" } else { "free" });
        match (parsed.of(&DISCOVERY_CMD), busy) {
            (Some(_), _) => {
                wire.name("discovery_request");
                *self = Discovery { asked: Some(wire.completed()), answers: 0 };
            }
            (None, Some(_)) => {
                wire.name("discovery_response");
                self.answer(wire);
            }
            (None, None) => {}
        }
        let words = [parsed.of(&DISCOVERY_CMD), parsed.of(&DISCOVERY_NAME), parsed.of(&DISCOVERY_MACHINE_TYPE), busy];
        wire.info(format_args!("{}", Line(&words)));
        Ok(())
    }
}

impl Discovery {
    /// Adds the request of a response and the response time.
    fn answer(&mut self, wire: &mut Wire<'_>) {
        let Some((frame, time)) = self.asked else { return };
        self.answers += 1;
        wire.add(&DISCOVERY_ANSWER, Value::Unsigned(self.answers));
        wire.add(&DISCOVERY_REQUEST_FRAME, Value::Unsigned(frame));
        if let Some(seconds) = since(wire, time) {
            wire.add(&DISCOVERY_TIME, seconds);
        }
    }
}
