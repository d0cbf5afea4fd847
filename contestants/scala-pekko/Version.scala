// Prints the version of Pekko HTTP.

object Version:
  def main(arguments: Array[String]): Unit =
    println(org.apache.pekko.http.Version.current)
