"""
Starts the Autobahn test suite. Jython 2.7 runs it beside the suite's packages.

The suite is written for Python 2 and Twisted's native extensions. Parts that Jython
lacks are replaced here; no case uses them. Two loops over single bytes
are replaced by faster ones. Jython's sockets write nothing, again and again, after the
peer has closed; that is an error here, as it is elsewhere. As a server the suite
listens on a free port of loopback and prints it.
"""

import os
import sys
import types
import xml.sax

from java.math import BigInteger
from java.nio import ByteBuffer
from java.nio.charset import CharacterCodingException, StandardCharsets
from org.python.core import Py
from org.python.core.util import StringUtil

PACKAGES = os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), "packages")

DELAY_FACTOR = 10
"""Factor for the suite's time limits, because Java is slow on a busy machine."""


class Placeholder(object):
    """Substitute for a name that is imported and never used."""

    def __init__(self, *args, **settings):
        pass


class Masker(object):
    """Masks or unmasks a payload in parts."""

    def __init__(self, mask, length=None):
        self.mask = mask
        self.bytes = 0

    def pointer(self):
        return self.bytes

    def reset(self):
        self.bytes = 0

    def process(self, part):
        turn = self.bytes & 3
        key = self.mask[turn:] + self.mask[:turn]
        keys = (key * (len(part) // 4 + 1))[: len(part)]
        self.bytes += len(part)
        # A first byte other than zero preserves the leading zeros after it.
        masked = number("\x01" + part).xor(number("\x00" + keys))
        text = StringUtil.fromBytes(BigInteger.toByteArray(masked))
        return Py.newString(text)[1:]


def number(part):
    """Return bytes as a number."""
    return BigInteger(StringUtil.toBytes(part))


def validate(self, part):
    """Validate a part of a text, at once if it is valid UTF-8 on its own."""
    if self.state == utf8validator.UTF8_ACCEPT:
        decoder = StandardCharsets.UTF_8.newDecoder()
        try:
            decoder.decode(ByteBuffer.wrap(StringUtil.toBytes(part)))
        except CharacterCodingException:
            return validate_each_byte(self, part)
        self.i += len(part)
        return True, True, len(part), self.i
    return validate_each_byte(self, part)


def with_longer_delay(wait):
    """Multiply the delay of a method by ``DELAY_FACTOR``."""
    return lambda self, delay: wait(self, delay * DELAY_FACTOR)


def failing_when_closed(write):
    """Let a method that writes fail on a connection that the peer has closed."""

    def write_or_fail(self, part):
        written = write(self, part)
        if part and written == 0 and self.socket._sock.channel_closed:
            return main.CONNECTION_LOST
        return written

    return write_or_fail


def provide(name, **contents):
    """Register a module in place of one that cannot be imported."""
    module = types.ModuleType(name)
    for key, value in contents.items():
        setattr(module, key, value)
    sys.modules[name] = module
    return module


def parser_without_properties(*names):
    """Return a parser that accepts any property, unlike Jython's."""
    parser = make_parser(*names)
    parser.setProperty = lambda name, value: None
    return parser


def listen_at_free_port(_, factory, *rest):
    """Listen on a free port for a factory, and print the port."""
    listening = listen(0, factory, 50, "127.0.0.1")
    factory.port = factory.externalPort = listening.getHost().port
    sys.stdout.write("listening at port %d\n" % factory.port)
    sys.stdout.flush()
    return listening


make_parser = xml.sax.make_parser
xml.sax.make_parser = parser_without_properties
sys.path[:0] = [PACKAGES, os.path.join(PACKAGES, "autobahntestsuite")]

import twisted

# Twisted wraps modules with deprecated attributes, which Jython cannot do. The
# package itself is one of these modules, so its `__init__.py` is not executed.
twisted.python = provide(
    "twisted.python", __path__=[os.path.join(PACKAGES, "twisted", "python")]
)
from twisted.python import deprecate

deprecate.deprecatedModuleAttribute = lambda version, message, module, name: None

import twisted.internet
from twisted.internet import selectreactor

selectreactor.install()
twisted.internet.ssl = provide(
    "twisted.internet.ssl",
    ClientContextFactory=Placeholder,
    DefaultOpenSSLContextFactory=Placeholder,
)
for name in ("choosereactor", "serializer"):
    provide(name, startGenerator=None)
    provide("autobahntestsuite." + name, startGenerator=None)

from twisted.internet import main, reactor, tcp

tcp.Connection.writeSomeData = failing_when_closed(tcp.Connection.writeSomeData)
listen = reactor.listenTCP
reactor.listenTCP = listen_at_free_port

from autobahn.websocket import protocol, utf8validator

protocol.createXorMasker = Masker
validate_each_byte = utf8validator.Utf8Validator.validate
utf8validator.Utf8Validator.validate = validate

from autobahntestsuite import fuzzing, wstest

fuzzing.FuzzingProtocol.killAfter = with_longer_delay(fuzzing.FuzzingProtocol.killAfter)

wstest.run()
