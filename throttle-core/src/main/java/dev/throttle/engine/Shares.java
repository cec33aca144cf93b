package dev.throttle.engine;

import dev.throttle.engine.SharedPool.Share;
import dev.throttle.signal.Cost;
import java.util.List;
import java.util.function.Consumer;

/**
 * What one engine has of all limits that it shares with others: a request takes from all of them or from none. Guarded
 * by the engine's lock, unless it says otherwise. With no such limit it costs nothing.
 */
final class Shares {

    private final Share[] shares;

    Shares(List<Share> shares) {
        this.shares = shares.toArray(Share[]::new);
    }

    /** Tells what the engine does when its lock is free, see {@link Share#belongsTo}. */
    void belongTo(Consumer<Runnable> news, Consumer<Runnable> wakeUps, Runnable look) {
        for (Share share : shares) {
            share.belongsTo(news, wakeUps, look);
        }
    }

    /** {@return the least wait that a request has for them, without a place in any line} */
    Wait waitOf(Cost ahead, Cost cost, long now) {
        Wait longest = Wait.NONE;
        for (Share share : shares) {
            longest = longest.longer(Wait.until(share.dueNanos(ahead, cost, now), share.name(), now));
        }
        return longest;
    }

    /** Takes what a request needs; {@return false, and nothing is taken, if it is not its turn in all of them} */
    boolean tryTake(Cost cost, long now) {
        for (int taken = 0; taken < shares.length; taken++) {
            if (!shares[taken].tryTake(cost, now)) {
                while (taken > 0) {
                    shares[--taken].undo(cost, now);
                }
                return false;
            }
        }
        return true;
    }

    /** Takes what a request needs that cannot be held back. */
    void takeForced(Cost cost, long now) {
        for (Share share : shares) {
            share.onAdmitted(cost, 0, now);
        }
    }

    /**
     * Takes what the head of the queue needs, or keeps its places in all lines. Where one limit lets it wait longest,
     * that is where others do not pass it.
     *
     * @return what it has to wait for; none if it has taken
     */
    Wait takeOrStand(Cost cost, long now) {
        while (shares.length > 0) {
            Share longest = null;
            long wait = 0;
            for (Share share : shares) {
                long own = share.stand(cost, now);
                if (own > wait) {
                    longest = share;
                    wait = own;
                }
            }
            if (longest != null) {
                for (Share share : shares) {
                    if (share != longest) {
                        share.letPass(now);
                    }
                }
                return Wait.of(wait, longest.name());
            }
            if (tryTake(cost, now)) {
                leave(now);
                break;
            } // else another throttle has taken meanwhile
        }
        return Wait.NONE;
    }

    /** Gives up the places in all lines: no call waits, or the head waits for something else. */
    void leave(long now) {
        for (Share share : shares) {
            share.leave(now);
        }
    }
}
