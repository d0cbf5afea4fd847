// What is wrong with the environment.

package autostrada.kit;

/** The environment does not say what to do. */
final class SettingsException extends RuntimeException {
    private static final long serialVersionUID = 1;

    SettingsException(String reason) {
        super(reason);
    }
}
