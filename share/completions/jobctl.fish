# What fish offers after the program that this file is named after (it has the names of all): the
# options that PROGRAM --help lists, and what its words for their arguments stand for, such as FILE.

# The word at the cursor, without the --option= before it.
function __jobctl_word
    commandline -ct | string replace -r '^--[^=]*=' ''
end

# A dispenser does at that FIFO. Of another user's one nobody can tell in a moment.
function __jobctl_lives -a fifo
    test -p "$fifo" -a -w "$fifo" -a -e "$fifo.d/lock"; or return
    not test -O "$fifo.d/lock"; or command kill -0 (cat "$fifo.d/lock") 2>/dev/null
end

# Those for which the command succeeds, and directories on the way to others.
function __jobctl_fifos
    for name in (complete -C "'' "(__jobctl_word | string collect) | string replace -r '\t.*' '')
        set -l path (string replace -r '^~/' "$HOME/" -- $name)
        if string match -q '*/' $path
            test -p (string replace -r '\.d/$' '' $path); or echo $name
        else if $argv $path
            echo $name
        end
    end
end

# Those of the dispenser that the line names, or $FIFO: jobctl ends a tokstat that waits for one
# that is stopped.
function __jobctl_labels
    set -l fifo $FIFO
    for word in (commandline -op | string replace -r '^~/' "$HOME/")
        test -p "$word"; and set fifo $word
    end
    printf '%s\0' $fifo | jobctl -0 --quiet --timeout 2 tokstat -o tsv 2>/dev/null |
        string replace -rf '^slot\t(?:[^\t]*\t){5}([^\t]+)$' '$1'
end

# The operands before the cursor; fails where an option may still come.
function __jobctl_operands
    set -l words (commandline -opc)
    set -l takes __jobctl_takes_(basename $words[1])
    set -l letters (string match -r '^-\w$' -- $$takes | string replace - '' | string join '')
    set -e words[1]
    while set -q words[1]
        if not string match -q -- '-?*' $words[1]
            printf '%s\n' $words
            return 0
        end
        set -l word $words[1]
        set -e words[1]
        if test $word = --
            printf '%s\n' $words
            return 0
        else if contains -- $word $$takes
            set -e words[1]
        else if string match -rq "^-[^-$letters]+[-$letters]\$" -- $word
            set -e words[1]
        end
    end
    return 1
end

function __jobctl_no_operand
    not __jobctl_operands >/dev/null
end

# What may stand at the cursor where no option may; of a command, what fish offers after that.
function __jobctl_operand -a program
    set -l operands (__jobctl_operands)
    set -l count (count $operands)
    test $count -eq 0; and string match -q -- '-*' (commandline -ct); and return
    switch $program,$count
        case tokend,0
            __jobctl_fifos test -p
            return
        case tokget,0 tokput,0 tokstat,0 tokstop,0
            __jobctl_fifos __jobctl_lives
            return
        case jobat,0
            __fish_print_hostnames
            return
        case 'jobat,*' 'tokget,*'
            set -e operands[1]
        case jobplot,0
            complete -C "'' "(__jobctl_word | string collect)
            return
        case 'tok*' 'jobplot,*'
            return
        case jobctl,0 # it may be a file with commands
            complete -C "'' "(__jobctl_word | string collect)
        case 'jobctl,*'
            if string match -q ':::*' $operands
                complete -C "'' "(__jobctl_word | string collect)
                return
            end
    end
    complete -C (string join ' ' -- (string escape -- $operands) (commandline -ct))
end

# __jobctl_option PROGRAM LETTER NAME ARGUMENT TEXT
function __jobctl_option -a program letter name argument text
    set -l how -c $program -n __jobctl_no_operand -d $text
    test -z "$letter"; or set -a how -s $letter
    test -z "$name"; or set -a how -l $name
    if test -n "$argument"
        set -ga __jobctl_takes_$program -$letter --$name
    end
    switch $argument,$program,$name
        case ',*'
        case 'FILE,*'
            set -a how -r -F
        case 'DIR,*'
            set -a how -x -a '(__fish_complete_directories (__jobctl_word))'
        case 'FIFO,*'
            set -a how -x -a '(__jobctl_fifos __jobctl_lives)'
        case 'SHELL,*'
            set -a how -x -a '(complete -C (__jobctl_word))'
        case LABEL,tokput,drop
            set -a how -x -a '(__jobctl_labels)'
        case 'FORMAT,*' 'STYLE,*' 'WHEN,*' # the text ends with them: "table, tsv or json"
            set -l words (string replace -r '.*: ' '' $text | string split -n ' ')
            set words (string match -v or $words | string replace -r ',$' '')
            set -a how -x -a "$words"
        case '*'
            set -a how -x
    end
    complete $how
end

function __jobctl_complete -a program
    set -l option '^  (-(?<letter>.)|  )(, |  )?(--(?<name>\S+))?( (?<arg>\S+))?  +(?<text>.*)$'
    set -e __jobctl_takes_$program
    complete -c $program -e
    complete -c $program -f -a "(__jobctl_operand $program)"
    set -l help ($program --help 2>/dev/null | string collect)
    # The text of a long one is on the next line.
    for line in (string replace -ra '\n {10,}' '  ' -- $help | string split \n)
        string match -rq $option -- $line
        and __jobctl_option $program "$letter" "$name" "$arg" "$text"
    end
end

__jobctl_complete (string replace -r '.*/(.*)\.fish$' '$1' (status filename))
