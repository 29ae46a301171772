/* Connections of ssh that several sessions share. */

/* Becomes words with PLACE and sh, over the connection at that path, which is made where there is
   none. Returns the status to exit with. */
int login_run(const char *path, char **words);
