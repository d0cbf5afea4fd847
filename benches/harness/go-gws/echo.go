// Empty: the bare programs are one file each.
package main
