"""
Starts the Autobahn test suite. It is run by Jython 2.7, beside the suite's packages.

The suite is written for Python 2 and Twisted's native extensions; what Jython lacks of
these is replaced here, and none of it is used by the cases. Two loops over single bytes
are replaced by faster ones. As a server the suite listens at a free port of loopback,
and says which.
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

PATIENCE = 10
"""The suite waits so many times longer: on a busy machine Java is slow."""


class Nothing(object):
    """Takes the place of what is named and never used."""

    def __init__(self, *args, **settings):
        pass


class Masker(object):
    """Masks or unmasks a payload, part by part."""

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
        # The first byte keeps zeros after it from being dropped.
        masked = number("\x01" + part).xor(number("\x00" + keys))
        text = StringUtil.fromBytes(BigInteger.toByteArray(masked))
        return Py.newString(text)[1:]


def number(part):
    """Make a number of bytes."""
    return BigInteger(StringUtil.toBytes(part))


def validate(self, part):
    """Check a part of a text; where it is one by itself, all of it at once."""
    if self.state == utf8validator.UTF8_ACCEPT:
        decoder = StandardCharsets.UTF_8.newDecoder()
        try:
            decoder.decode(ByteBuffer.wrap(StringUtil.toBytes(part)))
        except CharacterCodingException:
            return validate_each_byte(self, part)
        self.i += len(part)
        return True, True, len(part), self.i
    return validate_each_byte(self, part)


def patient(wait):
    """Wait longer."""
    return lambda self, delay: wait(self, delay * PATIENCE)


def provide(name, **contents):
    """Put a module in the place of one that cannot be imported."""
    module = types.ModuleType(name)
    for key, value in contents.items():
        setattr(module, key, value)
    sys.modules[name] = module
    return module


def parser_without_properties(*names):
    """Make a parser that, other than Jython's, accepts any property."""
    parser = make_parser(*names)
    parser.setProperty = lambda name, value: None
    return parser


def listen_at_free_port(_, factory, *rest):
    """Listen for a factory, and say where."""
    listening = listen(0, factory, 50, "127.0.0.1")
    factory.port = factory.externalPort = listening.getHost().port
    sys.stdout.write("listening at port %d\n" % factory.port)
    sys.stdout.flush()
    return listening


make_parser = xml.sax.make_parser
xml.sax.make_parser = parser_without_properties
sys.path[:0] = [PACKAGES, os.path.join(PACKAGES, "autobahntestsuite")]

import twisted

# Modules of which an attribute is deprecated are wrapped, which Jython cannot do. The
# package itself is one of them, so its own first file is left out.
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
    ClientContextFactory=Nothing,
    DefaultOpenSSLContextFactory=Nothing,
)
for name in ("choosereactor", "serializer"):
    provide(name, startGenerator=None)
    provide("autobahntestsuite." + name, startGenerator=None)

from twisted.internet import reactor

listen = reactor.listenTCP
reactor.listenTCP = listen_at_free_port

from autobahn.websocket import protocol, utf8validator

protocol.createXorMasker = Masker
validate_each_byte = utf8validator.Utf8Validator.validate
utf8validator.Utf8Validator.validate = validate

from autobahntestsuite import fuzzing, wstest

fuzzing.FuzzingProtocol.killAfter = patient(fuzzing.FuzzingProtocol.killAfter)

wstest.run()
