"""Which clause of docs/contract.md each case of the contract's suite checks."""

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
"""Of the cases of a file that have no clause of their own."""

CLAUSES = {
    "its_version_is_the_receipt_of_its_build": "1.3",
    "it_counts_what_is_pushed_and_closes_with_1000": "3.1",
    "its_last_line_is_a_result_and_has_no_other_keys": "3.3",
    "it_writes_no_file": "2.1",
    "one_message_is_enough": "3.1",
    "it_opens_as_many_connections_as_it_is_told": "3.1",
    "by_hand_it_prints_the_lines_of_the_original": "4",
    "once_a_second_it_prints_what_came_in_it": "3.2",
    "a_server_that_closes_early_is_no_fault_of_its_own": "3.4",
    "a_refused_connection_is_a_status_with_a_reason": "3.4",
    "a_refused_handshake_is_a_status_with_a_reason": "3.4",
    "a_message_that_is_refused_is_a_status_with_a_reason": "3.4",
    "a_wrong_environment_is_status_2_and_names_the_variable": "2.7",
    "a_wrong_environment_is_a_status_and_a_reason": "2.7",
    "it_offers_no_compression": "2.3",
    "it_offers_compression_where_it_claims_to_and_is_asked": "3.6",
    "it_ends_when_it_is_asked_to": "2.5",
    "it_ends_when_it_is_asked_to_with_all_its_workers": "2.5",
    "it_has_as_many_connections_open_at_once_as_it_is_told": "5.1",
    "it_sends_the_payload_that_it_is_given": "5.2",
    "it_sends_again_only_when_it_is_answered": "5.2",
    "a_wrong_answer_is_counted_and_the_exchange_goes_on": "5.4",
    "what_comes_in_the_warm_up_does_not_count": "5.3",
    "time_runs_when_the_last_connection_is_open": "5.3",
    "its_only_line_is_the_result_whatever_lines_are_asked_for": "5.6",
    "it_exchanges_one_text_and_closes_with_1000": "5.5",
    "a_server_that_ends_the_exchange_is_a_status_with_a_reason": "5.7",
    "the_end_of_one_connection_ends_all": "5.7",
    "a_connection_that_is_refused_is_a_status_with_a_reason": "5.7",
    "one_refused_handshake_ends_all": "5.7",
    "each_of_many_connections_is_judged_by_itself": "7.3",
    "it_judges_numbers_and_counts_what_is_wrong": "7.3",
    "latency_is_from_the_instant_to_the_delivery": "7.4",
    "long_messages_are_taken": "7.7",
    "compression_is_declined": "8.4",
    "compression_is_granted_where_it_is_told": "8.4",
    "packets_come_back_unchanged": "8.11",
    "what_looks_like_a_packet_comes_back_unchanged": "8.11",
    "packets_are_taken_apart_where_there_are_some": "8.11",
    "without_an_interval_the_slowest_member_sets_the_pace": "8.7",
    "without_a_pace_nobody_is_waited_for": "8.12",
    "a_namespace_that_is_refused_is_a_status_with_a_reason": "9.4",
    "it_acknowledges_what_asks_for_it": "9.6",
    "it_answers_pings": "9.7",
}


def clause_of(module: str, case: str) -> str:
    """Return the clause that a case checks, given its module and its name."""
    name = case.partition("[")[0].removeprefix("test_")
    return CLAUSES.get(name) or SECTIONS.get(module.partition("contract.")[2], "")
