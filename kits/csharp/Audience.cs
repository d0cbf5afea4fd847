// Who gets a feed, and when it begins: docs/contract.md, clauses 8.5 and 8.8.

using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Autostrada.Kit
{
    /// <summary>Those who have joined, and their feed; one audience after another.</summary>
    public sealed class Audience
    {
        readonly FeedSettings _settings;
        readonly object _lock = new object();
        HashSet<Member> _members = new HashSet<Member>();
        bool _isPlaying;

        public Audience(FeedSettings settings)
        {
            _settings = settings;
        }

        /// <summary>Adds a member, the last of whom begins the feed.</summary>
        public Member Join()
        {
            if (_settings == null)
            {
                throw new InvalidOperationException(
                    "there is no feed: set FEED in the environment");
            }
            var member = new Member(_settings.EveryNs == null);
            lock (_lock)
            {
                var members = _members;
                members.Add(member);
                member.Left = () => Remove(members, member);
                if (!_isPlaying && members.Count == _settings.Audience)
                {
                    _isPlaying = true;
                    PlayAsync(members);
                }
            }
            return member;
        }

        async void PlayAsync(HashSet<Member> members)
        {
            // Not within Join. What is thrown here ends the program: a feed that has stopped must
            // not look like one that is slow.
            await Task.Yield();
            var feed = new Feed(_settings, () => ListOf(members).Count, Clock.NowNs, Console.Out);
            await feed.PlayAsync(async message =>
            {
                foreach (var member in ListOf(members))
                {
                    await member.PutAsync(message);
                }
            });
            lock (_lock)
            {
                _isPlaying = false;
                _members = new HashSet<Member>();
            }
            // Before the members hear of the end: they may start the next feed.
            feed.Finish();
            foreach (var member in ListOf(members))
            {
                await member.PutAsync(null);
            }
        }

        List<Member> ListOf(HashSet<Member> members)
        {
            lock (_lock)
            {
                return members.ToList();
            }
        }

        void Remove(HashSet<Member> members, Member member)
        {
            lock (_lock)
            {
                members.Remove(member);
            }
        }
    }

    /// <summary>One of the audience: it takes its messages in a task of its own.</summary>
    public sealed class Member
    {
        // Of a continuous feed: so many messages may wait for a member.
        const int QueueLength = 16;
        const int Unlimited = int.MaxValue / 2;

        internal Action Left;

        readonly ConcurrentQueue<byte[]> _messages = new ConcurrentQueue<byte[]>();
        readonly SemaphoreSlim _waiting = new SemaphoreSlim(0);
        readonly SemaphoreSlim _room;
        volatile bool _hasLeft;

        internal Member(bool isContinuous)
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

        /// <summary>Leaves the audience: TakeAsync returns null, and nobody waits for it.</summary>
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
