// The exception for a missing or wrong environment variable.

package autostrada.kit;

/** Thrown if an environment variable is missing or wrong. */
final class SettingsException extends RuntimeException {
    private static final long serialVersionUID = 1;

    SettingsException(String reason) {
        super(reason);
    }
}
