// Collects subscribers and starts a feed once all have joined: docs/contract.md, clauses 8.5 and
// 8.8.

using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Autostrada.Kit
{
    /// <summary>The subscribers and their feed; serves one group of subscribers after the
    /// other.</summary>
    public sealed class Subscribers
    {
        readonly FeedSettings _settings;
        readonly object _lock = new object();
        HashSet<Subscriber> _subscribed = new HashSet<Subscriber>();
        bool _isPlaying;

        public Subscribers(FeedSettings settings)
        {
            _settings = settings;
        }

        /// <summary>Adds a subscriber; the last expected one starts the feed.</summary>
        public Subscriber Join()
        {
            if (_settings == null)
            {
                throw new InvalidOperationException(
                    "there is no feed: set FEED in the environment");
            }
            var subscriber = new Subscriber(_settings.EveryNs == null);
            lock (_lock)
            {
                var subscribed = _subscribed;
                subscribed.Add(subscriber);
                subscriber.Left = () => Remove(subscribed, subscriber);
                if (!_isPlaying && subscribed.Count == _settings.Subscribers)
                {
                    _isPlaying = true;
                    PlayAsync(subscribed);
                }
            }
            return subscriber;
        }

        async void PlayAsync(HashSet<Subscriber> subscribed)
        {
            // Continue outside Join. An exception from here ends the program: a feed that has
            // stopped must not look like a slow one.
            await Task.Yield();
            var feed = new Feed(_settings, () => ListOf(subscribed).Count, Clock.NowNs, Console.Out);
            await feed.PlayAsync(async message =>
            {
                foreach (var subscriber in ListOf(subscribed))
                {
                    await subscriber.PutAsync(message);
                }
            });
            lock (_lock)
            {
                _isPlaying = false;
                _subscribed = new HashSet<Subscriber>();
            }
            // Print the result before the subscribers receive the end, because they may start the
            // next feed.
            feed.Finish();
            foreach (var subscriber in ListOf(subscribed))
            {
                await subscriber.PutAsync(null);
            }
        }

        List<Subscriber> ListOf(HashSet<Subscriber> subscribed)
        {
            lock (_lock)
            {
                return subscribed.ToList();
            }
        }

        void Remove(HashSet<Subscriber> subscribed, Subscriber subscriber)
        {
            lock (_lock)
            {
                subscribed.Remove(subscriber);
            }
        }
    }

    /// <summary>One subscriber, which takes its messages in its own task.</summary>
    public sealed class Subscriber
    {
        // Number of messages of a continuous feed that may wait for a subscriber.
        const int QueueLength = 16;
        const int Unlimited = int.MaxValue / 2;

        internal Action Left;

        readonly ConcurrentQueue<byte[]> _messages = new ConcurrentQueue<byte[]>();
        readonly SemaphoreSlim _waiting = new SemaphoreSlim(0);
        readonly SemaphoreSlim _room;
        volatile bool _hasLeft;

        internal Subscriber(bool isContinuous)
        {
            _room = new SemaphoreSlim(isContinuous ? QueueLength : Unlimited);
        }

        /// <summary>Returns the next message when it is due; null when the feed is over.</summary>
        public async Task<byte[]> TakeAsync()
        {
            await _waiting.WaitAsync();
            _room.Release();
            return _hasLeft ? null : Next();
        }

        /// <summary>Removes this subscriber: TakeAsync returns null, and the feed does not wait for
        /// it.</summary>
        public void Leave()
        {
            _hasLeft = true;
            Left();
            _waiting.Release();
            // The feed may be waiting for room and may then add one more message.
            _room.Release(2);
        }

        byte[] Next()
        {
            _messages.TryDequeue(out var message);
            return message;
        }

        internal async Task PutAsync(byte[] message)
        {
            await _room.WaitAsync();
            if (!_hasLeft)
            {
                _messages.Enqueue(message);
            }
            _waiting.Release();
        }
    }
}
