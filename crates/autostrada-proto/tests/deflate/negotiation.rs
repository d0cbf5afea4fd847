//! Offers and answers: RFC 7692, sections 5 and 7.1.

use autostrada_proto::deflate::{
    ClientWindow, DeflateOffer, DeflateParameters, NegotiationError, WindowBits, accept_offer,
};

fn bits(bits: u8) -> WindowBits {
    WindowBits::new(bits).unwrap()
}

fn sizes() -> impl Iterator<Item = WindowBits> + Clone {
    (8..=15).map(bits)
}

fn offers() -> Vec<DeflateOffer> {
    let mut offers = Vec::new();
    for flags in 0..4 {
        for server_max_window_bits in std::iter::once(None).chain(sizes().map(Some)) {
            let windows = [ClientWindow::Unlimited, ClientWindow::Limitable];
            for window in windows.into_iter().chain(sizes().map(ClientWindow::AtMost)) {
                offers.push(DeflateOffer {
                    server_no_context_takeover: flags & 1 != 0,
                    client_no_context_takeover: flags & 2 != 0,
                    server_max_window_bits,
                    client_max_window_bits: window,
                });
            }
        }
    }
    offers
}

#[test]
fn window_sizes_are_those_of_the_rfc() {
    for size in 0..=u8::MAX {
        let is_known = (8..=15).contains(&size);
        assert_eq!(WindowBits::new(size).is_some(), is_known);
    }
    assert_eq!(WindowBits::MAX, bits(15));
    assert_eq!(WindowBits::MIN_COMPRESSED, bits(9));
}

#[test]
fn an_offer_is_decoded_as_it_was_encoded() {
    for offer in offers() {
        assert_eq!(DeflateOffer::decode(&offer.to_string()), Ok(Some(offer)));
    }
    let offer = DeflateOffer {
        client_no_context_takeover: true,
        ..DeflateOffer::default()
    };
    assert_eq!(
        offer.to_string(),
        "permessage-deflate; client_no_context_takeover"
    );
}

#[test]
fn order_spaces_and_quotes_of_an_offer_do_not_matter() {
    let offer = DeflateOffer {
        server_max_window_bits: Some(bits(10)),
        client_max_window_bits: ClientWindow::Limitable,
        ..DeflateOffer::default()
    };
    for text in [
        "permessage-deflate; client_max_window_bits; server_max_window_bits=10",
        "permessage-deflate ;server_max_window_bits = \"10\";client_max_window_bits ",
    ] {
        assert_eq!(DeflateOffer::decode(text), Ok(Some(offer)), "{text}");
    }
    for other in ["", "x-webkit-deflate-frame", "permessage-deflates", "; a"] {
        assert_eq!(DeflateOffer::decode(other), Ok(None), "{other}");
    }
}

/// An error about a parameter, and malformed parameters, the last of which it names.
type Malformed = (fn(String) -> NegotiationError, &'static [&'static str]);

#[test]
fn malformed_parameters_are_errors_in_answers_and_declined_in_offers() {
    use NegotiationError as E;
    let malformed: [Malformed; 3] = [
        (
            E::UnknownParameter,
            &["x=1", "", "Server_no_context_takeover"],
        ),
        (
            E::InvalidParameter,
            &[
                "server_no_context_takeover=1",
                "client_no_context_takeover=",
                "server_max_window_bits",
                "server_max_window_bits=",
                "server_max_window_bits=7",
                "server_max_window_bits=16",
                "server_max_window_bits=010",
                "server_max_window_bits=+10",
                "server_max_window_bits=\"10",
                "client_max_window_bits=266",
            ],
        ),
        (
            E::RepeatedParameter,
            &[
                "server_no_context_takeover; server_no_context_takeover",
                "client_max_window_bits; client_max_window_bits=10",
            ],
        ),
    ];
    let offer = DeflateOffer {
        client_max_window_bits: ClientWindow::Limitable,
        ..DeflateOffer::default()
    };
    for (error, all_parameters) in malformed {
        for parameters in all_parameters {
            let (_, last) = parameters.rsplit_once("; ").unwrap_or(("", parameters));
            let name = last.split('=').next().unwrap_or_default();
            let error = error(name.to_owned());
            let text = format!("permessage-deflate; {parameters}");
            assert_eq!(DeflateOffer::decode(&text), Err(error.clone()), "{text}");
            assert_eq!(offer.check_answer(&[&text]), Err(error), "{text}");
            assert_eq!(accept_offer(&[&text], DeflateParameters::default()), None);
        }
    }
}

#[test]
fn the_first_acceptable_offer_is_answered() {
    let answer = |extensions: &[&str]| {
        accept_offer(extensions, DeflateParameters::default()).map(|answer| answer.to_string())
    };
    assert_eq!(answer(&[]), None);
    assert_eq!(answer(&["x-other", "permessage-deflate; y"]), None);
    let demanding = "permessage-deflate; server_max_window_bits=8";
    assert_eq!(answer(&[demanding]), None);
    assert_eq!(
        answer(&[
            demanding,
            "permessage-deflate; client_max_window_bits=12; server_no_context_takeover",
            "permessage-deflate",
        ]),
        Some("permessage-deflate; server_no_context_takeover; client_max_window_bits=12".into())
    );
    assert_eq!(
        answer(&["permessage-deflate; server_max_window_bits=15"]),
        Some("permessage-deflate; server_max_window_bits=15".into())
    );
}

#[test]
fn both_sides_derive_the_same_parameters() {
    for offer in offers() {
        for flags in 0..4 {
            for (server_bits, client_bits) in [(15, 15), (9, 9), (12, 15), (15, 10)] {
                let wanted = DeflateParameters {
                    server_no_context_takeover: flags & 1 != 0,
                    client_no_context_takeover: flags & 2 != 0,
                    server_max_window_bits: bits(server_bits),
                    client_max_window_bits: bits(client_bits),
                };
                check_agreement(offer, wanted);
            }
        }
    }
}

fn check_agreement(offer: DeflateOffer, wanted: DeflateParameters) {
    let Some(answer) = accept_offer(&[offer.to_string()], wanted) else {
        assert_eq!(offer.server_max_window_bits, Some(bits(8)), "{offer}");
        return;
    };
    let checked = offer.check_answer(&[answer.to_string()]);
    let parameters = answer.parameters();
    if parameters.client_max_window_bits == bits(8) {
        let announced = ClientWindow::AtMost(bits(8));
        assert_eq!(offer.client_max_window_bits, announced);
        assert_eq!(checked, Err(NegotiationError::WindowTooSmall));
        return;
    }
    assert_eq!(checked, Ok(Some(parameters)), "{offer} answered {answer}");
    let demanded = offer.server_max_window_bits.unwrap_or(WindowBits::MAX);
    assert_eq!(
        parameters.server_max_window_bits,
        demanded.min(wanted.server_max_window_bits)
    );
    assert_eq!(
        parameters.server_no_context_takeover,
        offer.server_no_context_takeover || wanted.server_no_context_takeover
    );
    assert_eq!(
        parameters.client_no_context_takeover,
        offer.client_no_context_takeover || wanted.client_no_context_takeover
    );
    let client_max_window_bits = match offer.client_max_window_bits {
        ClientWindow::Unlimited => WindowBits::MAX,
        ClientWindow::Limitable => wanted.client_max_window_bits,
        ClientWindow::AtMost(announced) => announced.min(wanted.client_max_window_bits),
    };
    assert_eq!(parameters.client_max_window_bits, client_max_window_bits);
}

#[test]
fn an_answer_must_match_the_offer() {
    use NegotiationError as E;
    let demanding = DeflateOffer {
        server_no_context_takeover: true,
        server_max_window_bits: Some(bits(10)),
        ..DeflateOffer::default()
    };
    let granted = "permessage-deflate; server_no_context_takeover; server_max_window_bits=";
    let check = |offer: DeflateOffer, answer: &str| offer.check_answer(&[answer]);
    for (answer, error) in [
        (
            "permessage-deflate; server_max_window_bits=10",
            E::NotGranted("server_no_context_takeover"),
        ),
        (
            "permessage-deflate; server_no_context_takeover",
            E::NotGranted("server_max_window_bits"),
        ),
        (
            &format!("{granted}11"),
            E::NotGranted("server_max_window_bits"),
        ),
        (
            &format!("{granted}10; client_max_window_bits=15"),
            E::NotOffered("client_max_window_bits"),
        ),
        (
            &format!("{granted}10; client_max_window_bits"),
            E::InvalidParameter("client_max_window_bits".to_owned()),
        ),
    ] {
        assert_eq!(check(demanding, answer), Err(error), "{answer}");
    }
    // A window of 8 bits is valid for decompression.
    let parameters = check(demanding, &format!("{granted}8")).unwrap().unwrap();
    assert_eq!(parameters.server_max_window_bits, bits(8));

    let limitable = DeflateOffer {
        client_max_window_bits: ClientWindow::Limitable,
        ..DeflateOffer::default()
    };
    assert_eq!(
        check(limitable, "permessage-deflate; client_max_window_bits=8"),
        Err(E::WindowTooSmall)
    );
    let twice = ["permessage-deflate", "x", "permessage-deflate"];
    assert_eq!(limitable.check_answer(&twice), Err(E::RepeatedExtension));
    assert_eq!(limitable.check_answer(&["x"]), Ok(None));
    assert_eq!(limitable.check_answer(&[""; 0]), Ok(None));
}

#[test]
fn a_clients_announcements_are_binding() {
    let offer = DeflateOffer {
        client_no_context_takeover: true,
        client_max_window_bits: ClientWindow::AtMost(bits(11)),
        ..DeflateOffer::default()
    };
    let parameters = offer
        .check_answer(&["permessage-deflate"])
        .unwrap()
        .unwrap();
    assert!(parameters.client_no_context_takeover);
    assert_eq!(parameters.client_max_window_bits, bits(11));
}
