/*
 * A loan among clients, for spin(1): see run.sh, and ../../src/tools/borrow.c. One token is out.
 * The process that has its lease gives it back by closing that, or early, by a byte; and two others,
 * which know the path of the lease, borrow the token. A client waits for it at the dispenser.
 *
 * A step is a system call, and the comment before it names the function. Fate kills borrowers and
 * the dispenser, and starts another one. At most one process is ever at work with the token, and
 * at the end it is home, or given to the client.
 */
#ifndef KILLS
#define KILLS 0   /* of the dispenser */
#endif
#ifndef DEATHS
#define DEATHS 0  /* of borrowers */
#endif
#ifndef EARLY
#define EARLY 0   /* 1: the token is given back early */
#endif
#ifndef BROKEN
#define BROKEN 0
#endif
#define NONE 0
#define LEASE 1   /* K.NAME */
#define GOING 2   /* K.NAME.home */

byte kills = KILLS, deaths = DEATHS;
byte writers = 1; /* of the lease */
byte borrowed;    /* writers of the loan */
byte name = LEASE, working;
bool reader = true, early, locked, home, given;
bool two_at_work, token_lost; /* false: what is found */

inline work()
{
	working++;
	assert(working == 1 || two_at_work);
	working--
}

#define DIE if :: deaths > 0 -> deaths--; goto leave :: skip fi

active [2] proctype borrower()
{
	bool holds, has, locks;

	/* borrow.c: hold */
	if
	:: atomic { name == LEASE && reader -> writers++; holds = true }
	:: else -> goto leave
	fi;
	DIE;
	/* borrow.c: lock_loans */
	if
	:: atomic { BROKEN != 3 && !locked -> locked = true; locks = true }
	:: BROKEN == 3
	fi;
	DIE;
	/* borrow.c: is_free */
	if
	:: borrowed > 0 -> goto leave
	:: borrowed == 0
	fi;
	DIE;
	/* borrow.c: make_loan */
	atomic { borrowed++; has = true };
	DIE;
	/* borrow.c: borrow_take */
	if
	:: BROKEN != 4 && name != LEASE -> goto leave
	:: BROKEN == 4 || name == LEASE
	fi;
	atomic { locks -> locked = false; locks = false } unless { !locks };
	DIE;
	work();
leave:
	atomic { if :: locks -> locked = false :: else fi };
	atomic { if :: holds -> writers-- :: else fi };
	atomic { if :: has -> borrowed-- :: else fi }
}

active proctype holder()
{
	if
	:: EARLY -> early = true
	:: skip
	fi;
	writers--
}

#define KILLED if :: kills > 0 -> kills--; goto dead :: skip fi

active proctype dispenser()
{
	do
	:: reader && name == LEASE && (writers == 0 || early) ->
		KILLED;
		/* holders.c: stays_out */
		name = GOING;
		KILLED;
		if
		:: BROKEN != 1 && writers > 0 && !(early && (borrowed == 0 || BROKEN == 5)) ->
			early = false;
			name = LEASE
		:: else -> name = NONE; KILLED; reader = false; home = true
		fi
	:: home && !given ->
		given = true;
		work();
		break
	:: timeout -> break
	od;
	assert(given || token_lost);
	goto ended;
dead:
	reader = false;
	/* remains.c: adopt_holder */
	if
	:: name == NONE -> home = true
	:: else -> name = LEASE; reader = true;
		if
		:: writers > 0
		:: writers == 0 && BROKEN == 2 -> name = NONE; reader = false; home = true
		:: writers == 0 && BROKEN != 2 -> skip /* as one that comes home */
		fi
	fi;
	do
	:: reader && name == LEASE && writers == 0 ->
		/* remains.c: open_found; holders.c: stays_out */
		name = GOING;
		if
		:: writers > 0 -> name = LEASE
		:: else -> name = NONE; reader = false; home = true
		fi
	:: home && !given -> given = true; work(); break
	:: timeout -> break
	od;
	assert(given || token_lost);
ended:
	skip
}
