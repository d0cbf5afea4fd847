"""What is shown of experiments that are no races: any server, client and workload."""
