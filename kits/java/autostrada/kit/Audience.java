// Who gets a feed, and when it begins: docs/contract.md, clauses 8.5 and 8.8.

package autostrada.kit;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Those who have joined, and their feed; one audience after another.
 *
 * <p>When all are there, a thread calls {@code publish} with the feed. That must hand each message to
 * the members, and close them in the end.
 *
 * @param <M> a member
 * @param <G> a group of members, which several threads may change
 */
public final class Audience<M, G extends Set<M>> {
    private final FeedSettings settings;
    private final Supplier<G> makeGroup;
    private final Consumer<Feed<G>> publish;
    private G members;
    private Feed<G> feed;

    /** Makes an audience whose members are kept in groups of a library's own. */
    public Audience(ServerSettings settings, Supplier<G> makeGroup, Consumer<Feed<G>> publish) {
        this.settings = settings.feed();
        this.makeGroup = makeGroup;
        this.publish = publish;
        members = makeGroup.get();
    }

    /** Makes an audience whose members are kept in sets. */
    public static <M> Audience<M, Set<M>> of(ServerSettings settings, Consumer<Feed<Set<M>>> publish) {
        return new Audience<>(settings, ConcurrentHashMap::newKeySet, publish);
    }

    /** Adds a member; returns what to call when it is gone. */
    public synchronized Runnable join(M member) {
        if (settings == null) {
            throw new IllegalStateException("there is no feed: set FEED in the environment");
        }
        G joined = add(member);
        if (feed == null && joined.size() == settings.audience()) {
            Feed<G> begun = new Feed<>(settings, joined, System::nanoTime, Line::print);
            feed = begun;
            Thread publisher = new Thread(() -> publish(begun), "feed");
            publisher.setDaemon(true);
            publisher.start();
        }
        return () -> joined.remove(member);
    }

    private G add(M member) {
        // As the feed does when it ends: who gets into the group before that is closed with it.
        synchronized (members) {
            if (feed == null || !feed.isOver()) {
                members.add(member);
                return members;
            }
        }
        feed = null;
        members = makeGroup.get();
        members.add(member);
        return members;
    }

    private void publish(Feed<G> begun) {
        try {
            publish.accept(begun);
        } catch (RuntimeException | Error error) {
            // A feed that has stopped must not look like one that is slow.
            error.printStackTrace();
            Exit.with(1, "the feed has stopped: " + Exit.reason(error));
        }
    }
}
