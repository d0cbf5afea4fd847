//! The lines of messages that are answered, or sent to many connections.

use std::fmt::Write as _;

use super::{rate, times};
use crate::client::{Answers, DeliveriesRow, ExchangeRow};
use crate::cmd::load::limit::in_flight as in_flight_text;
use crate::cmd::load::number_format::{duration_ns, per_s, percent, whole_number};

/// Largest ratio of the answers in the second half to those in the first, or its inverse, of a rate
/// that is steady.
const GROWTH_MAX: f64 = 1.25;

/// Adds the lines of messages that are answered.
pub fn exchanged(
    line: &mut impl FnMut(&str, &str),
    exchange: &ExchangeRow,
    in_flight: Option<f64>,
    window_s: f64,
) {
    match &exchange.deliveries {
        Some(deliveries) => delivered(line, exchange, deliveries, window_s),
        None => line("answered", &answered(exchange, window_s)),
    }
    if let Some(text) = exchange.rate_growth.and_then(unsteady) {
        line("  not steady", &text);
    }
    let unanswered = exchange.unanswered();
    if unanswered > 0 {
        let [unanswered, due] = [unanswered, exchange.due()].map(whole_number);
        line(
            "unanswered",
            &format!("{unanswered} of {due} messages that were due"),
        );
    }
    if exchange.others > 0 {
        let others = whole_number(exchange.others);
        line(
            "others",
            &format!("{others} received messages answered nothing"),
        );
    }
    let clocks = exchange.clock_bound_ns.map(|bound_ns| {
        let bound = duration_ns(bound_ns);
        format!("the clocks of the hosts differ by up to {bound}")
    });
    match clocks {
        Some(clocks) if exchange.response_time_ns.is_empty() => {
            line("response time", &format!("not known: {clocks}"));
        }
        clocks => {
            times(line, "response time", &exchange.response_time_ns);
            if let Some(text) = clocks {
                line("", &text);
            }
        }
    }
    let since_sent = (exchange.offered_rate_per_s.is_some()).then_some(&exchange.service_time_ns);
    for (name, buckets) in [
        ("  since sent", since_sent),
        ("  first message", Some(&exchange.first_message_time_ns)),
        ("  between", Some(&exchange.message_gap_ns)),
    ] {
        if let Some(buckets) = buckets.filter(|buckets| !buckets.is_empty()) {
            times(line, name, buckets);
        }
    }
    if let Some(text) = shares(&exchange.answers_per_connection) {
        line("  a connection", &text);
    }
    if let Some(text) = in_flight.and_then(|all| in_flight_text(exchange, all, window_s)) {
        line("in flight", &text);
    }
}

/// Adds the lines of messages that are sent to many connections.
fn delivered(
    line: &mut impl FnMut(&str, &str),
    exchange: &ExchangeRow,
    deliveries: &DeliveriesRow,
    window_s: f64,
) {
    let sent = whole_number(exchange.sent);
    let offered = exchange.offered_rate_per_s.map(per_s).unwrap_or_default();
    let sent_rate = rate(exchange.sent, window_s);
    line(
        "sent",
        &format!("{sent} messages{sent_rate} of {offered}/s offered"),
    );
    let received = whole_number(exchange.completed);
    let received_rate = rate(exchange.completed, window_s);
    line("received", &format!("{received} messages{received_rate}"));
    line("deliveries", &due(deliveries));
    if !deliveries.last_receiver_time_ns.is_empty() {
        times(line, "  to the last", &deliveries.last_receiver_time_ns);
    }
}

/// Says how many deliveries were due, and how many of them were lost.
fn due(deliveries: &DeliveriesRow) -> String {
    let connections = whole_number(deliveries.connections);
    let (Some(due), Some(lost)) = (deliveries.due, deliveries.lost) else {
        let most = whole_number(deliveries.receivers_max);
        return format!(
            "not known how many were due: no message reached all {connections} connections, but \
             at most {most}; --receivers {connections} says that each is for all"
        );
    };
    let mut text = format!("{} due, none lost", whole_number(due));
    if lost > 0 {
        let [due_text, lost_text] = [due, lost].map(whole_number);
        let lost_share = percent(deliveries.lost_share().unwrap_or_default());
        text = format!("{due_text} due, {lost_text} lost ({lost_share})");
    }
    if let Some(most) = deliveries.most_lost {
        let lost = whole_number(most.lost);
        let _ = write!(text, "; connection {} lost most, {lost}", most.connection);
    }
    if deliveries.every > 1 {
        let _ = write!(text, "; of one message in {}", deliveries.every);
    }
    text
}

/// Returns how many messages were answered, and at what rate.
fn answered(exchange: &ExchangeRow, window_s: f64) -> String {
    let completed = whole_number(exchange.completed);
    let mut text = format!("{completed} messages{}", rate(exchange.completed, window_s));
    if let Some(offered) = exchange.offered_rate_per_s {
        let _ = write!(text, " of {}/s offered", per_s(offered));
        if let Some(share) = exchange.achieved_share {
            let _ = write!(text, " ({})", percent(share));
        }
    }
    text
}

/// Says how the rate of a closed loop changed within the measurement; `None` if it was steady.
fn unsteady(growth: f64) -> Option<String> {
    let remedy = if growth > GROWTH_MAX {
        ": warm up longer (--warm-up)"
    } else if growth < GROWTH_MAX.recip() {
        ""
    } else {
        return None;
    };
    Some(format!(
        "{growth:.2} times as many in the second half as in the first{remedy}"
    ))
}

/// Returns how many answers the connections received; `None` if no message was sent.
fn shares(answers: &Answers) -> Option<String> {
    let (least, most) = (whole_number(answers.least?), whole_number(answers.most));
    let mut text = format!("{least} to {most} answers, with the warm-up");
    if answers.connections_without > 0 {
        let without = whole_number(answers.connections_without);
        let _ = write!(text, "; {without} were never answered");
    }
    Some(text)
}
