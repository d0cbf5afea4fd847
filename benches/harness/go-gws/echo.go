// Empty because each bare program is one file.
package main
