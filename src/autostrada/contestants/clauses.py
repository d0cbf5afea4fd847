"""Maps the cases of the contract's test suite to the clauses of docs/contract.md."""

SECTIONS = {
    "test_contract": "3",
    "test_echo": "5",
    "test_feed": "7",
    "test_socket_io": "9",
    "server.test_echo": "8.3",
    "server.test_feed": "8.5",
    "server.test_process": "2",
    "server.test_socket_io": "9",
}
"""Section for each file of cases, for cases that are not in ``CLAUSES``."""

CLAUSES = {
    "its_build_has_a_version_and_a_toolchain": "1.3",
    "it_counts_what_is_pushed_and_closes_with_1000": "3.1",
    "its_last_line_is_a_result_and_has_no_other_keys": "3.3",
    "it_writes_no_file": "2.1",
    "it_receives_a_single_message": "3.1",
    "it_opens_the_configured_number_of_connections": "3.1",
    "it_prints_the_configured_autoroute_lines": "4",
    "it_prints_the_messages_of_each_second": "3.2",
    "it_succeeds_if_the_server_closes_early": "3.4",
    "a_refused_connection_causes_a_status_with_a_reason": "3.4",
    "a_refused_handshake_causes_a_status_with_a_reason": "3.4",
    "a_rejected_message_causes_a_status_with_a_reason": "3.4",
    "an_invalid_environment_causes_status_2_and_names_the_variable": "2.7",
    "an_invalid_environment_causes_a_status_and_a_reason": "2.7",
    "it_offers_no_compression": "2.3",
    "it_offers_compression_if_claimed_and_configured": "3.6",
    "it_ends_on_sigterm": "2.5",
    "it_ends_on_sigterm_with_all_its_workers": "2.5",
    "it_has_the_configured_number_of_connections_open_at_once": "5.1",
    "it_sends_the_configured_payload": "5.2",
    "it_sends_again_only_after_an_answer": "5.2",
    "a_wrong_answer_is_counted_and_the_exchange_continues": "5.4",
    "messages_of_the_warm_up_are_not_counted": "5.3",
    "the_window_starts_when_the_last_connection_is_open": "5.3",
    "its_only_line_is_the_result_for_any_configured_lines": "5.6",
    "it_exchanges_one_text_and_closes_with_1000": "5.5",
    "a_server_that_ends_the_exchange_causes_a_status_with_a_reason": "5.7",
    "the_end_of_one_connection_ends_all": "5.7",
    "a_connection_that_is_refused_causes_a_status_with_a_reason": "5.7",
    "one_refused_handshake_ends_all": "5.7",
    "each_of_many_connections_is_checked_separately": "7.3",
    "it_classifies_numbers_and_counts_wrong_messages": "7.3",
    "latency_is_measured_from_the_timestamp_to_the_delivery": "7.4",
    "long_messages_are_received": "7.7",
    "it_decodes_whole_messages": "7.8",
    "it_ends_itself_while_it_receives": "7.9",
    "it_is_not_cut_off_if_the_feed_ends_first": "7.9",
    "a_feed_of_series_is_as_documented_byte_for_byte": "7.1",
    "a_feed_of_series_is_what_the_engine_expects": "7.1",
    "compression_is_declined": "8.4",
    "compression_is_granted_if_configured": "8.4",
    "packets_are_returned_unchanged": "8.11",
    "text_that_looks_like_a_packet_is_returned_unchanged": "8.11",
    "packets_are_decoded_if_they_are_enabled": "8.11",
    "without_an_interval_the_slowest_subscriber_determines_the_rate": "8.7",
    "an_unpaced_feed_waits_for_no_subscriber": "8.12",
    "a_dropping_feed_drops_messages_of_a_late_subscriber": "8.13",
    "each_answer_costs_the_configured_cpu_time": "8.14",
    "a_refused_namespace_causes_a_status_with_a_reason": "9.4",
    "it_acknowledges_packets_that_request_it": "9.6",
    "it_answers_pings": "9.7",
}


def clause_of(module: str, case: str) -> str:
    """Return the clause that a case checks; ``""`` if it is unknown."""
    name = case.partition("[")[0].removeprefix("test_")
    return CLAUSES.get(name) or SECTIONS.get(module.partition("contract.")[2], "")
