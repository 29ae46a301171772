/* The words: process FIFO [COUNT [OPTION of tokend...]]. The status. */
int for_process(int argc, char **argv);
