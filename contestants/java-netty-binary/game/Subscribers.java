// Collects subscribers and starts a feed once all have joined: docs/published.md.

package game;

import autostrada.kit.Exit;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The subscribers and their feed; serves one group of subscribers after the other.
 *
 * <p>Once all have joined, a thread calls {@code publish} with the feed. {@code publish} must send
 * each message to the subscribers and close them at the end.
 *
 * @param <M> a subscriber
 * @param <G> a group of subscribers, which several threads may change
 */
public final class Subscribers<M, G extends Set<M>> {
    private final FeedSettings settings;
    private final Supplier<G> makeGroup;
    private final Consumer<Feed<G>> publish;
    private G subscribed;
    private Feed<G> feed;

    /** Creates subscribers whose groups are collections of the library. */
    public Subscribers(GameSettings settings, Supplier<G> makeGroup, Consumer<Feed<G>> publish) {
        this.settings = settings.feed();
        this.makeGroup = makeGroup;
        this.publish = publish;
        subscribed = makeGroup.get();
    }

    /** Creates subscribers whose groups are sets. */
    public static <M> Subscribers<M, Set<M>> of(GameSettings settings, Consumer<Feed<Set<M>>> publish) {
        return new Subscribers<>(settings, ConcurrentHashMap::newKeySet, publish);
    }

    /** Adds a subscriber. Returns the function to call when it is gone. */
    public synchronized Runnable join(M subscriber) {
        if (settings == null) {
            throw new IllegalStateException("there is no feed: set FEED in the environment");
        }
        G joined = add(subscriber);
        if (feed == null && joined.size() == settings.subscribers()) {
            Feed<G> begun = new Feed<>(settings, joined);
            feed = begun;
            Thread publisher = new Thread(() -> publish(begun), "feed");
            publisher.setDaemon(true);
            publisher.start();
        }
        return () -> joined.remove(subscriber);
    }

    private G add(M subscriber) {
        // The feed takes the same lock when it ends: a subscriber that is added before that is
        // closed with the group.
        synchronized (subscribed) {
            if (feed == null || !feed.isOver()) {
                subscribed.add(subscriber);
                return subscribed;
            }
        }
        feed = null;
        subscribed = makeGroup.get();
        subscribed.add(subscriber);
        return subscribed;
    }

    private void publish(Feed<G> begun) {
        try {
            publish.accept(begun);
        } catch (RuntimeException | Error error) {
            // A feed that has stopped must not look like a slow one.
            error.printStackTrace();
            Exit.with(1, "the feed has stopped: " + Exit.reason(error));
        }
    }
}
