"""What a comparison of a published conclusion needs beside its figures."""
