# Debian's packages of documents, unpacked below a folder. To be sourced.

# The package that a metapackage stands for in this distribution: `version_of postgresql-doc 'postgresql-doc-[0-9]*'`.
version_of() { apt-cache depends "$1" | sed -n "s/^ *Depends: \($2\)\$/\1/p" | head -n 1; }

# Unpacks the documents of SQLite and PostgreSQL, and with `python` those of Python, in `$1/root` unless they are there.
fetch_documents() {
  local place=$1 names=(sqlite3-doc) package
  [ ! -d "$place/root" ] || return 0
  if ! apt-cache show sqlite3-doc >/dev/null 2>&1; then apt-get update -q; fi
  names+=("$(version_of postgresql-doc 'postgresql-doc-[0-9]*')")
  if [ "${2:-}" = python ]; then names+=("$(version_of python3-doc 'python3\.[0-9]*-doc')"); fi
  mkdir -p "$place/packages" "$place/unpacking"
  (cd "$place/packages" && apt-get download -q "${names[@]}")
  for package in "$place"/packages/*.deb; do dpkg -x "$package" "$place/unpacking"; done
  mv "$place/unpacking" "$place/root"
}
