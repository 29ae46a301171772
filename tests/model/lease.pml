/*
 * The lease protocol of a dispenser and its clients, for spin(1): see run.sh.
 *
 * A step is a system call. The comment before it names the function of ../../src
 * that makes it, with its file; run.sh looks whether there is one.
 *
 * Fate strikes at any step: it kills a client, a client's command or the dispenser;
 * stops a client for ever; starts a dispenser where one died or ended; asks for more
 * tokens, or fewer, or the end; each as often as it may. When nothing can move any
 * more, "at_rest" checks the state of all. A further run proves that this rest comes:
 * nothing goes in circles.
 *
 * A FIFO is nine bits and the bytes written into it. As in POSIX and Linux, its bytes
 * are lost as the last process closes it; POLLHUP is seen when there was a writer and
 * there is none any more.
 */
#ifndef TOKENS
#define TOKENS 2
#endif
#ifndef MOST
#define MOST 2      /* tokens, after a resize */
#endif
#ifndef LEAST
#define LEAST 1
#endif
#ifndef CLIENTS
#define CLIENTS 3
#endif
#ifndef WANTS
#define WANTS 1     /* tokens for the first client; 1 for each other */
#endif
#ifndef KILLS
#define KILLS 0     /* of the dispenser */
#endif
#ifndef STARTS
#define STARTS KILLS
#endif
#ifndef FAILS
#define FAILS 0     /* starts that take over and fail on the way; each is tried again */
#endif
#ifndef DEATHS
#define DEATHS 0    /* of clients and commands */
#endif
#ifndef STOPS
#define STOPS 0     /* clients that are stopped for ever */
#endif
#ifndef SIZES
#define SIZES 0
#endif
#ifndef ENDS
#define ENDS 0
#endif
#ifndef LATE
#define LATE 0      /* clients that give up as their time ends */
#endif
#ifndef MADE
#define MADE 1      /* 0: the inlet was there before, and stays */
#endif
#define FIFOS 6
#ifndef DETAIL
#define DETAIL 1    /* 0: a client opens its FIFO as it makes it, and is its own command */
#endif
#ifndef REST
#define REST 1      /* 0: faults at rest do not count, so those on the way are found */
#endif
#ifndef BROKEN
#define BROKEN 0
#endif

mtype = { GET, SIZE, END };                    /* into the inlet */
mtype = { OK, NO_AGAIN, AGAIN, CLOSING, MANY } /* into a client's FIFO */

/* The file system and the kernel. */
bool blocked;                  /* the dispenser blocks in open */
bool path = true;              /* the inlet has its name */
bool there = true;             /* so has the directory */
bool reading;                  /* the dispenser has the inlet's read end */
chan inlet = [3] of { mtype, byte };
bool waiting[FIFOS];           /* has the name w/NAME */
byte nobody;                   /* this FIFO, + 1, has the name w/0 */
byte named[MOST + 1];          /* slot K is a name of this FIFO + 1 */
bool reads[FIFOS], lease[FIFOS];      /* ends that the client has */
bool inherited[FIFOS];                /* the write end that its command has */
bool looks[FIFOS], answers[FIFOS];    /* ends that the dispenser has */
bool quiet[FIFOS];             /* no writer since it opened the read end */
chan box[FIFOS] = [3] of { mtype };

#define writers(f)   (lease[f] || inherited[f] || answers[f])
#define readers(f)   (reads[f] || looks[f])
#define hung_up(f)   (looks[f] && !writers(f) && !quiet[f])

/* The dispenser: struct clients, and struct pool in it. */
bool up, killed, start, ready, adopting;
bool ending, closing;
byte wanted, free, out;
#define IDLE 0                  /* a request: not looked at any more, */
#define LOOKED 1               /* somebody has its FIFO open, */
#define OPEN 2                 /* and now we, for the answer, too, */
#define NAMED 3                /* and it has the names of slots */
#define HELD 1                 /* a lease: read, and still empty */
#define HELD_UNREAD 2          /* read, and has lost its bytes */
#define WITHDRAWN 0
#define FREE 1
#define TAKEN 2
byte slot[MOST + 1];
byte holder[MOST + 1];         /* whose slot K is, + 1 */
bool known[FIFOS];             /* has a record of a holder */
byte head;                     /* whose FIFO is watched, + 1 */
chan queue = [FIFOS] of { byte };
chan text = [3] of { mtype };  /* bytes that it has taken out of a FIFO */

/* The clients. */
byte mine[3];            /* its FIFO + 1 */
#define count(f) (f < 2 -> WANTS : 1) /* tokens that it asks for */
bool asked[FIFOS];             /* somebody may still read its request */
bool began[3];
bool asks[3];            /* waits for its answer */
bool dead[CLIENTS], stopped[3];
bool orphan[3];          /* its inlet has lost its name, and has no reader */

/* Unknown to all in the model: the tokens told of in an answer, and jobs. */
byte told[FIFOS];              /* bits 1 << K */
bool runs[FIFOS];              /* the job */

byte kills = KILLS, fails = FAILS, starts = STARTS, deaths = DEATHS, stops = STOPS, sizes = SIZES,
     ends = ENDS, late = LATE;

/* Names of findings: each is false for ever. */
bool more_than_there_are, slot_given_twice, waiter_forgotten, token_lost, dispenser_blocks, name_left;

#define gone_for(i)  (orphan[i] || !reading)

inline empty_box(f)
{
	do
	:: nempty(box[f]) -> box[f]?_
	:: empty(box[f]) -> break
	od
}

/* The kernel's part when somebody closes an end. */
inline after_close(f)
{
	if
	:: !writers(f) && !readers(f) -> empty_box(f)
	:: else
	fi;
	if
	:: !lease[f] && !inherited[f] && !runs[f] -> told[f] = 0
	:: else
	fi;
	quiet[f] = quiet[f] && looks[f]
}

inline for_writing(f)
{
	quiet[f] = false
}

inline for_reading(f)
{
	quiet[f] = !writers(f);
	looks[f] = true
}

/* No name comes twice, asking.c: choose_name; so none that anybody still knows. A
   client has two in turn. */
#define unused(f) (!waiting[f] && !writers(f) && !readers(f) && !runs[f] && !asked[f] && nobody != f + 1 && !carries_slot(f))
#if MOST == 2
#define carries_slot(f) (named[1] == f + 1 || named[2] == f + 1)
#else
#define carries_slot(f) (named[1] == f + 1 || named[2] == f + 1 || named[3] == f + 1)
#endif

inline total_free()
{
	/* pool.c: pool_resize */
	k = 1;
	do
	:: k <= MOST && free + out < wanted ->
		if
		:: slot[k] == WITHDRAWN -> slot[k] = FREE; free++
		:: else
		fi;
		k++
	:: else -> break
	od;
	k = MOST;
	do
	:: k > 0 && free > 0 && free + out > wanted ->
		if
		:: slot[k] == FREE -> slot[k] = WITHDRAWN; free--
		:: else
		fi;
		k--
	:: else -> break
	od;
	k = 0
}

/* pool.c: pool_home */
inline pool_home(k)
{
	out--;
	if
	:: BROKEN != 13 && free + out >= wanted -> slot[k] = WITHDRAWN
	:: else -> slot[k] = FREE; free++
	fi;
	holder[k] = 0
}

/* Of tokens that were told of and live, there are never too many, and no slot twice. */
inline check_holders()
{
	k = 0;
	n = 0;
	do
	:: k < FIFOS ->
		if
		:: told[k] != 0 ->
			assert((told[k] & used) == 0 || slot_given_twice);
			used = used | told[k];
			n = n + (told[k] >> 1 & 1) + (told[k] >> 2 & 1) + (told[k] >> 3 & 1)
		:: else
		fi;
		k++
	:: else -> break
	od;
	assert(n <= wanted || more_than_there_are);
	used = 0;
	n = 0;
	k = 0
}

/* store.c: store_refuse; names.c: names_answer. By its name, and only if
   somebody reads there: a FIFO without a reader cannot be opened, and nobody waits for one. */
inline say_to_name(f, what)
{
	if
	:: waiting[f] && readers(f) -> box[f]!what
	:: else
	fi
}

/* holders.c: holders_home. Each a system call; a dispenser that dies between two of them
   leaves names that nobody holds. */
inline slots_home(f)
{
	k = 1;
	do
	:: k <= MOST ->
		if
		:: holder[k] == f + 1 -> named[k] = 0; pool_home(k)
		:: else
		fi;
		k++
	:: else -> break
	od;
	k = 0
}

/* clients.c: clients_serve */
inline forget_head()
{
	if
	:: head != 0 -> looks[head - 1] = false; after_close(head - 1); head = 0
	:: else
	fi
}

inline leave_it()
{
	answers[f] = false;
	looks[f] = false;
	after_close(f);
	stage = IDLE;
	n = 0;
	f = 0
}

inline drop_first()
{
	queue?_;
	asked[f] = false
}

/* store.c: store_client; names.c: names_open; lease.c: lease_held. Opens the FIFO and
   reads: its bytes are lost, and tell nothing; if it is not at its end, somebody has it
   open. Otherwise it is removed. */
inline store_client()
{
	if
	:: !waiting[f] -> drop_first(); f = 0
	:: waiting[f] && writers(f) ->
		for_reading(f);
		empty_box(f);
		stage = LOOKED
	:: waiting[f] && !writers(f) && BROKEN == 1 -> for_reading(f); stage = LOOKED
	:: waiting[f] && !writers(f) && BROKEN != 1 -> waiting[f] = false; drop_first(); after_close(f); f = 0
	fi
}

/* clients.c: open_waiting; names.c: names_open. By the name, which may be gone by now. */
inline open_waiting()
{
	if
	:: !waiting[f] -> drop_first(); leave_it()
	/* clients.c: wait_for_head. Its read end stays open, and watched. */
	:: waiting[f] && count(f) > free && count(f) <= wanted ->
		if
		:: BROKEN == 7 -> looks[f] = false
		:: else
		fi;
		head = f + 1;
		after_close(f);
		stage = IDLE;
		f = 0
	:: waiting[f] && count(f) > wanted -> drop_first(); box[f]!MANY; leave_it()
	/* clients.c: grant */
	:: waiting[f] && count(f) <= free && count(f) <= wanted ->
		drop_first();
		answers[f] = true;
		for_writing(f);
		stage = OPEN;
		n = count(f)
	fi
}

/* holders.c: name_slots, link_slot; pool.c: pool_take. All names but the last are links. */
inline take_slot()
{
	if
	:: waiting[f] ->
		k = 1;
		do
		:: slot[k] != FREE -> k++
		:: else -> break
		od;
		slot[k] = TAKEN;
		holder[k] = f + 1;
		free--;
		out++;
		named[k] = (BROKEN == 2 -> 0 : f + 1);
		n--;
		if
		:: n == 0 && BROKEN != 2 -> waiting[f] = false; stage = NAMED
		:: n == 0 && BROKEN == 2 -> s = k; tell(); stage = NAMED
		:: else
		fi;
		k = 0
	/* it went away just now, and so do its tokens */
	:: !waiting[f] -> slots_home(f); leave_it()
	fi
}

/* names.c: names_say */
inline tell()
{
	box[f]!OK;
	told[f] = 0;
	if
	:: lease[f] || inherited[f] ->
		k = 1;
		do
		:: k <= MOST ->
			if
			:: holder[k] == f + 1 -> told[f] = told[f] | (1 << k)
			:: else
			fi;
			k++
		:: else -> break
		od;
		check_holders()
	:: else
	fi;
	k = 0
}

/* holders.c: holders_grant, enter_holder. The names first, then the answer; and its write end
   is closed again, which nobody sees before the last writer closes. */
inline holders_grant()
{
	if
	:: BROKEN != 2 -> tell()
	:: else -> waiting[f] = false; named[s] = f + 1; s = 0
	fi;
	known[f] = true;
	answers[f] = BROKEN == 8;
	after_close(f);
	stage = IDLE;
	f = 0
}

/* holders.c: come_home */
inline holders_home()
{
	known[f] = false;
	looks[f] = false;
	after_close(f);
	slots_home(f);
	f = 0
}

/* asked.c: ask_tokens, enqueue; waiters.c: waiters_add */
inline get()
{
	if
	:: closing -> say_to_name(f, CLOSING); asked[f] = false
	:: !closing && count(f) > wanted -> say_to_name(f, MANY); asked[f] = false
	:: !closing && count(f) <= wanted -> queue!f
	fi;
	f = 0
}

/* clients.c: clients_stop */
inline clients_stop()
{
	closing = true;
	forget_head();
	do
	:: nempty(queue) -> queue?f; say_to_name(f, CLOSING); asked[f] = false
	:: empty(queue) -> break
	od;
	f = 0
}

/* remains.c: adopt_holder, still_held. Looks whether somebody has it
   open, by reading. The bytes read ... */
inline look_at_lease()
{
	f = named[s] - 1;
	if
	:: !known[f] -> for_reading(f)
	:: else
	fi;
	if
	:: BROKEN == 4 -> n = HELD
	:: BROKEN != 4 && writers(f) && nempty(box[f]) ->
		n = HELD_UNREAD;
		do
		:: nempty(box[f]) -> box[f]?m; text!m
		:: empty(box[f]) -> break
		od
	:: BROKEN != 4 && writers(f) && empty(box[f]) -> n = HELD
	:: BROKEN != 4 && !writers(f) -> leave_name()
	fi
}

inline leave_name()
{
	named[s] = 0;
	looks[f] = known[f];
	after_close(f);
	n = 0
}

/* ... are put back, by the name. An empty lease may be of a client that was given
   the name, and not yet the answer. pool.c: pool_adopt */
inline adopt_lease()
{
	if
	:: n == HELD_UNREAD && !writers(f) -> leave_name()
	:: else ->
		if
		:: n == HELD_UNREAD && BROKEN != 5 ->
			do
			:: nempty(text) -> text?m; box[f]!m
			:: empty(text) -> break
			od
		:: n == HELD && BROKEN != 10 && BROKEN != 4 -> box[f]!AGAIN
		:: else
		fi;
		known[f] = true;
		slot[s] = TAKEN;
		holder[s] = f + 1;
		out++;
		n = 0
	fi;
	do
	:: nempty(text) -> text?m
	:: empty(text) -> break
	od;
	f = 0;
	m = 0
}

inline next_named()
{
	do
	:: s <= MOST && named[s] == 0 -> s++
	:: s > MOST -> break
	:: s <= MOST && named[s] != 0 -> look_at_lease(); break
	od;
	m = 0
}

inline adopt_slots()
{
	s = 1;
	do
	:: d_step { s <= MOST && n == 0 -> next_named() }
	:: d_step { s <= MOST && n != 0 -> adopt_lease(); s++ }
	:: s > MOST -> s = 0; break
	od
}

/* remains.c: adopt_client, open_held. If nobody reads a FIFO, its client has yet to open
   it, or is dead. */
inline adopt_waiting()
{
	do
	:: d_step { s < FIFOS ->
		do
		:: s < FIFOS && !waiting[s] -> s++
		:: s == FIFOS -> break
		:: s < FIFOS && waiting[s] -> say_to_name(s, NO_AGAIN); s++; break
		od;
		m = 0 }
	:: d_step { s == FIFOS && nobody != 0 -> say_to_nobody() }
	:: s == FIFOS && nobody == 0 -> s = 0; break
	od
}

/* names.c: names_remove, dismiss. Out of its maker's reach, and then told. */
inline names_remove()
{
	do
	:: d_step { s < FIFOS && nobody == 0 ->
		do
		:: s < FIFOS && !waiting[s] -> s++
		:: s == FIFOS -> break
		:: s < FIFOS && waiting[s] -> waiting[s] = false; nobody = s + 1; s++; break
		od;
		m = 0 }
	:: d_step { nobody != 0 -> say_to_nobody() }
	:: s == FIFOS && nobody == 0 -> break
	od;
	s = 0;
	remove_slots()
}

inline remove_slots()
{
	named[1] = 0;
	named[2] = 0;
#if MOST > 2
	named[3] = 0;
#endif
}

inline say_to_nobody()
{
	if
	:: nobody != 0 && readers(nobody - 1) && BROKEN != 15 -> box[nobody - 1]!AGAIN
	:: else
	fi;
	nobody = 0
}

/* The memory of a process goes with it. */
inline forget()
{
	k = 0;
	do
	:: k < FIFOS -> known[k] = false; k++
	:: else -> break
	od;
	k = 1;
	do
	:: k <= MOST -> slot[k] = WITHDRAWN; holder[k] = 0; k++
	:: else -> break
	od;
	k = 0;
	free = 0;
	out = 0;
	wanted = 0;
	head = 0
}

#define home(i) known[i] && hung_up(i)
#define may_serve (len(queue) > 0 && free > 0 && !asleep)
#define news (nempty(inlet) || (head != 0 && hung_up(head - 1)) || home(0) || home(1) || home(2) || home(3) || \
	home(4) || home(5))

/* Free tokens may go to the first now. */
inline wake(yes)
{
	if
	:: yes -> forget_head(); asleep = false
	:: else -> asleep = true
	fi
}

active proctype tokend()
{
	byte f, k, n, s, used, stage;
	bool asleep;
	mtype m;

end_down:
	{
		start;
		/* claim.c: claim_take, try_lock, open_inlet */
		d_step { start = false; reading = true; path = true; there = true; adopting = ready };
		/* clients.c: clients_open; names.c: names_each. In the order of the directory. */
		if
		:: !ready
		:: BROKEN == 3 && ready -> adopt_waiting()
		:: BROKEN == 9 && ready -> adopt_slots()
		:: BROKEN != 3 && BROKEN != 9 && ready -> adopt_slots(); adopt_waiting()
		:: BROKEN != 3 && BROKEN != 9 && ready -> adopt_waiting(); adopt_slots()
		fi;
		atomic { wanted = TOKENS; d_step { total_free(); ready = true; adopting = false } };
		do
		/* clients.c: clients_serve, serve_waiters */
		:: d_step { stage == IDLE && may_serve && head == 0 && BROKEN != 6 -> queue?<f>; store_client() }
		/* without O_NONBLOCK */
		:: d_step { stage == IDLE && may_serve && head == 0 && BROKEN == 6 -> queue?<f>; blocked = true };
			d_step { !waiting[f] || writers(f) -> blocked = false; store_client() }
		:: d_step { stage == LOOKED -> open_waiting() }
		:: d_step { stage == OPEN -> take_slot() }
		:: d_step { stage == NAMED -> holders_grant() }
		:: stage == IDLE && ending && out == 0 -> break
		/* More news may come before a client is served: each turn of the loop takes all there is. */
		:: stage == IDLE && (!may_serve || head != 0 || news) && !(ending && out == 0) ->
			/* dispenser.c: serve_until_end, wait_for_news, take_news */
end_poll:
			if
			/* dispenser.c: inlet_word, take_request; asked.c: asked_take */
			:: d_step { inlet?GET, f -> get(); wake(true) }
			:: d_step { inlet?SIZE, n -> wanted = n; n = 0; total_free(); wake(true) }
			/* dispenser.c: serve_turn */
			:: d_step { inlet?END, n -> n = 0; ending = true; clients_stop() }
			/* clients.c: clients_event; holders.c: holders_event */
			:: d_step { head != 0 && hung_up(head - 1) -> wake(true) }
			:: atomic {
				if
				:: home(0) -> f = 0
				:: home(1) -> f = 1
				:: home(2) -> f = 2
				:: home(3) -> f = 3
				:: home(4) -> f = 4
				:: home(5) -> f = 5
				fi;
				d_step { holders_home(); wake(BROKEN != 11) } }
			fi
		od;
		/* clients.c: clients_close; claim.c: claim_release, remove_inlet */
		names_remove();
		path = !MADE;
		there = false;
		d_step {
			reading = false;
			up = false;
			ending = false;
			closing = false;
			k = 0;
			do
			:: k < CLIENTS -> orphan[k] = orphan[k] || MADE; k++
			:: else -> break
			od;
			k = 0;
			do
			:: k < FIFOS -> asked[k] = asked[k] && !MADE; k++
			:: else -> break
			od;
			do
			:: MADE && nempty(inlet) -> inlet?_, _
			:: !MADE || empty(inlet) -> break
			od;
			forget()
		}
	} unless {
		killed
	};
	atomic { killed = false; f = 0; k = 0; n = 0; s = 0; used = 0; stage = IDLE; m = 0; asleep = false };
	goto end_down
}

/* asking.c: asking_close. The name goes first; if it has gone, only the rest. */
inline closes()
{
	lease[f] = false;
	reads[f] = false;
	after_close(f);
	mine[i] = 0;
	asks[i] = false
}

inline asking_close()
{
	waiting[f] = false;
#if DETAIL
	d_step { closes() }
#else
	closes()
#endif
}
#if DETAIL
#define together
#else
#define together atomic
#endif

#define may_come (path && (up || starts > 0))
#if ENDS
#define when_open true
#else
#define when_open reading /* as good as before: while the names stay, nothing else can come between */
#endif
#define fresh(x) :: d_step { when_open && there && unused(x) && (x % 2 == 0 || !unused(x - 1)) -> \
    f = x; waiting[x] = true; mine[i] = x + 1; open_at_once }
#if DETAIL
#define open_at_once skip
#else
#define open_at_once reads[f] = true; lease[f] = true; for_writing(f)
#endif

proctype client(byte i)
{
	byte f;

	{
		/* Clients that are alike begin in their order, which is as good as any. */
		d_step { i == 0 || (i == 1 && WANTS > 1) || began[i - 1] -> began[i] = true };
ask:
		/* wish.c: wish_take, miss_dispenser; asking.c: asking_open, inlet_find */
#if ENDS
		if
		:: d_step { path && reading -> orphan[i] = false }
		:: !reading && !may_come -> goto finished
		fi;
#endif
name:
		/* asking.c: make_fifo */
		if
#if ENDS
		:: !there -> goto ask
#else
		:: !reading && !may_come -> goto finished
#endif
		fresh(2 * i)
		fresh(2 * i + 1)
		fi;
#if DETAIL
		/* Both ends are open before it asks. */
		if
		:: d_step { waiting[f] -> reads[f] = true;
			if
			:: BROKEN != 12 -> lease[f] = true; for_writing(f)
			:: else
			fi }
		:: d_step { !waiting[f] -> mine[i] = 0 }; goto name
		fi;
#endif
		/* asking.c: asking_send */
		if
		:: together { gone_for(i) -> asking_close() }; goto ask
		:: d_step { !gone_for(i) && nfull(inlet) -> inlet!GET, f; asks[i] = true; asked[f] = true }
		fi;
		if
		:: BROKEN == 12 -> d_step { lease[f] = true; for_writing(f) }
		:: else
		fi;
wait:
		/* asking.c: asking_line. An answer that was there before the inlet was lost counts. */
end_wait:
		if
		/* wish.c: hear; asking.c: asking_keep */
		:: d_step { box[f]?OK -> runs[f] = true; asks[i] = false; reads[f] = false; after_close(f) }
		/* wish.c: first_line; asking.c: asking_withdraw */
		:: together { box[f]?NO_AGAIN ->
			if
			:: d_step { waiting[f] -> waiting[f] = false }; asking_close(); goto ask
			:: !waiting[f] -> goto wait
			fi }
		:: together { box[f]?AGAIN -> asking_close() }; goto ask
		/* wish.c: refused */
		:: together { box[f]?CLOSING -> asking_close() }; goto finished
		:: together { box[f]?MANY -> asking_close() }; goto finished
		:: together { empty(box[f]) && gone_for(i) -> asking_close() }; goto ask
		/* its time ends */
		:: together { d_step { late > 0 && waiting[f] -> late--; waiting[f] = false }; asking_close() }; goto finished
		fi;
		/* tokget.c: run_command; command.c: command_start. The command has it, too. */
		if
		:: BROKEN == 14 -> d_step { lease[f] = false; after_close(f) }
		:: else
		fi;
#if DETAIL
		d_step { inherited[f] = true; for_writing(f) };
		/* the command ends, and then tokget */
		d_step { inherited[f] = false; runs[f] = false; after_close(f) };
#endif
		d_step { runs[f] = false; closes() };
finished:
		atomic { dead[i] = true; f = 0 }
	} unless {
		dead[i] || stopped[i]
	};
end_stopped:
	d_step { dead[i] -> f = 0; asks[i] = false };
end_dead:
	false
}

inline kill_client(i)
{
	d_step {
		deaths > 0 && began[i] && !dead[i] ->
		deaths--;
		dead[i] = true;
		if
		:: mine[i] != 0 ->
			lease[mine[i] - 1] = false;
			reads[mine[i] - 1] = false;
			if
			:: inherited[mine[i] - 1] -> after_close(mine[i] - 1)
			:: else -> runs[mine[i] - 1] = false; after_close(mine[i] - 1); mine[i] = 0
			fi
		:: else
		fi
	}
}

/* The command of a client that is dead, or stopped, ends some time. */
inline end_command(i)
{
	d_step {
		mine[i] != 0 && (dead[i] || stopped[i]) && inherited[mine[i] - 1] ->
		inherited[mine[i] - 1] = false;
		runs[mine[i] - 1] = false;
		after_close(mine[i] - 1);
		mine[i] = (dead[i] -> 0 : mine[i])
	}
}

inline stop_client(i)
{
	d_step { stops > 0 && began[i] && !dead[i] && !stopped[i] -> stops--; stopped[i] = true }
}

/* The kernel's part when it dies, or ends as it began: dispenser.c: dispenser_run; claim.c:
   claim_abandon. The names stay. */
inline kill_dispenser()
{
	killed = true;
	up = false;
	start = false;
	adopting = false;
	reading = false;
	ending = false;
	closing = false;
	k = 0;
	do
	:: k < FIFOS ->
		looks[k] = false;
		answers[k] = false;
		after_close(k);
		k++
	:: else -> break
	od;
	do
	:: nempty(queue) -> queue?_
	:: empty(queue) -> break
	od;
	do
	:: nempty(text) -> text?_
	:: empty(text) -> break
	od;
	forget()
}

/* Requests that it had read already; or all that its inlet had. */
inline lose_requests()
{
	if
	:: do
		:: nempty(inlet) -> inlet?_, _
		:: empty(inlet) -> break
		od
	:: true
	fi;
	d_step {
		k = 0;
		do
		:: k < FIFOS -> asked[k] = starts > 0 && inlet??[GET, eval(k)]; k++
		:: else -> break
		od;
		k = 0
	}
}

active proctype fate()
{
	byte k;

	d_step { start = true; up = true };
	atomic { ready -> run client(0); run client(1); if :: CLIENTS > 2 -> run client(2) :: else fi };
end_of_that:
	do
	:: atomic { kills > 0 && up && !start && !killed -> kills--; d_step { kill_dispenser() }; lose_requests() }
	:: atomic { fails > 0 && adopting && !killed -> fails--; starts++;
		d_step {
			kill_dispenser();
			if
			:: BROKEN == 16 -> remove_slots()
			:: else
			fi
		};
		lose_requests() }
	:: d_step { starts > 0 && !up && !killed -> starts--; start = true; up = true }
	:: kill_client(0)
	:: kill_client(1)
	:: kill_client(2)
	:: end_command(0)
	:: end_command(1)
	:: end_command(2)
	:: stop_client(0)
	:: stop_client(1)
	:: stop_client(2)
	:: d_step { sizes > 0 && reading && nfull(inlet) -> sizes--; inlet!SIZE, LEAST }
	:: d_step { sizes > 0 && reading && nfull(inlet) -> sizes--; inlet!SIZE, MOST }
	:: d_step { ends > 0 && reading && nfull(inlet) -> ends--; inlet!END, 0 }
	od
}

/* Every waiter is in the queue, and its head wants more than is free. */
inline check_waiter(i)
{
	if
	:: asks[i] && !dead[i] && !stopped[i] ->
		f = mine[i] - 1;
		assert((up && waiting[f] && queue??[eval(f)]) || waiter_forgotten);
		queue?<f>;
		assert(free == 0 || (count(f) > free && waiting[f] && writers(f)) || waiter_forgotten)
	:: else
	fi
}

active proctype at_rest()
{
	byte f, k;

	timeout;
end_unseen:
	REST == 1;
	d_step {
		assert(!blocked || dispenser_blocks);
		check_waiter(0);
		check_waiter(1);
		check_waiter(2);
		k = 1;
		do
		:: k <= MOST ->
			/* a slot that is out is held, and has its name */
			assert(!up || slot[k] != TAKEN || lease[holder[k] - 1] || inherited[holder[k] - 1] || token_lost);
			assert(!up || (slot[k] == TAKEN) == (named[k] != 0) || name_left);
			/* a dispenser that has ended leaves none */
			assert(there || named[k] == 0 || name_left);
			k++
		:: else -> break
		od;
		/* all tokens that there are to be are free, or out */
		assert(!up || free + out == wanted || (out > wanted && free == 0) || token_lost);
		f = 0
	}
}
