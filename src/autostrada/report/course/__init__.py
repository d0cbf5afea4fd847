"""What a cell's trials did over time: throughput, CPU, memory and queues."""
