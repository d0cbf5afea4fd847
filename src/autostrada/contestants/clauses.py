"""Maps the cases of the contract's test suite to the clauses of the contract."""

PUBLISHED = "published "
"""Before the clauses of docs/published.md; all others are of docs/contract.md."""

SECTIONS = {
    "test_count": "3.2",
    "test_reply": "3.2",
    "server.test_echo": "4.2",
    "server.test_process": "4",
    "server.test_publish": "4.4",
    "server.test_socket_io": "5.1",
    "published.test_feed": "published 2.1",
    "published.server.test_feed": "published 1.2",
    "published.server.test_game": "published 3.3",
    "published.server.test_process": "2",
    "published.server.test_push": "published 4",
}
"""Clause or section of each file of cases, for cases that are not in ``CLAUSES``."""

CLAUSES = {
    # Sections 1 to 3: every program, and clients.
    "its_build_has_a_version_of_one_line": "1.3",
    "its_only_line_is_a_result_with_instants_in_order": "3.3",
    "its_result_has_the_messages_of_all_connections": "3.3",
    "it_answers_pings_and_counts_until_the_server_closes": "3.6",
    "it_counts_up_to_the_last_message_wanted_and_has_its_instant": "3.3",
    "its_instant_is_that_of_the_connection_that_receives_last": "3.3",
    "it_accepts_a_message_of_16_mib": "3.6",
    "it_trusts_the_certificates_of_ssl_cert_file": "3.7",
    "it_trusts_no_other_certificates": "3.7",
    "the_end_of_an_open_connection_is_no_failure": "3.4",
    "a_refused_connection_causes_a_status_with_a_reason": "3.4",
    "a_refused_handshake_causes_a_status_with_a_reason": "3.4",
    "a_refused_message_causes_a_status_with_a_reason": "3.4",
    "its_library_refuses_text_that_is_not_utf8_if_claimed": "1",
    "it_offers_no_compression": "2.3",
    "it_offers_compression_if_configured": "2.3",
    "it_ends_on_sigterm": "2.4",
    "an_invalid_environment_causes_status_2_and_names_the_variable": "2.5",
    # Section 4: servers.
    "it_speaks_tls_if_configured": "4",
    "it_is_one_silent_process_that_ends_on_sigterm": "4.1",
    "an_invalid_environment_causes_a_status_and_a_reason": "2.5",
    "compression_is_declined": "2.3",
    "compression_is_granted_if_configured": "2.3",
    "all_subscribers_and_no_others_receive_what_is_published": "4.4",
    "several_publishers_are_each_received_in_order": "4.3",
    "a_late_subscriber_receives_what_is_published_from_then_on": "4.3",
    "the_end_of_one_subscriber_does_not_affect_the_others": "4.2",
    "a_subscriber_that_does_not_read_delays_no_other": "4.5",
    "an_invalid_packet_ends_at_most_its_session": "4.2",
    # Published programs.
    "it_classifies_numbers_and_counts_wrong_messages": "published 2.3",
    "each_of_many_connections_is_checked_separately": "published 2.3",
    "latency_is_measured_from_the_timestamp_to_the_delivery": "published 2.3",
    "it_decodes_whole_messages": "published 2.2",
    "a_feed_is_as_documented_byte_for_byte": "published 1",
    "a_feed_of_the_kit_is_as_documented_byte_for_byte": "published 1",
    "a_feed_of_series_is_as_documented_byte_for_byte": "published 1",
    "a_feed_of_series_is_what_the_engine_expects": "published 1",
    "an_unpaced_feed_waits_for_no_subscriber": "published 1.3",
    "a_dropping_feed_drops_messages_of_a_late_subscriber": "published 1.3",
    "each_answer_costs_the_configured_cpu_time_and_is_in_order": "published 3.1",
    "packets_are_decoded_and_answered_with_their_bytes": "published 3.2",
    "what_is_no_packet_is_returned_unchanged": "published 3.2",
}


def clause_of(module: str, case: str) -> str:
    """Return the clause that a case checks; ``""`` if it is unknown."""
    name = case.partition("[")[0].removeprefix("test_")
    return CLAUSES.get(name) or SECTIONS.get(module.partition("contract.")[2], "")
