// Who gets a feed, and when it begins: docs/contract.md, clauses 8.5 and 8.8.

using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Autostrada.Kit
{
    /// <summary>Those who have joined, and their feed; one group of subscribers after another.</summary>
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

        /// <summary>Adds a subscriber, the last of whom begins the feed.</summary>
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
            // Not within Join. What is thrown here ends the program: a feed that has stopped must
            // not look like one that is slow.
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
            // Before the subscribers see the end: they may start the next feed.
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

    /// <summary>One of the subscribers: it takes its messages in a task of its own.</summary>
    public sealed class Subscriber
    {
        // Of a continuous feed: so many messages may wait for a subscriber.
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

        /// <summary>Returns the next message, when it is due; null when there are no more.</summary>
        public async Task<byte[]> TakeAsync()
        {
            await _waiting.WaitAsync();
            _room.Release();
            return _hasLeft ? null : Next();
        }

        /// <summary>Leaves the subscribers: TakeAsync returns null, and nobody waits for it.</summary>
        public void Leave()
        {
            _hasLeft = true;
            Left();
            _waiting.Release();
            // The feed may be waiting for room, and may have one message more for each of all.
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
